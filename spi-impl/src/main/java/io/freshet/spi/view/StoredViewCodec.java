/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.freshet.spi.view;

import com.google.inject.Inject;
import io.airlift.json.JsonCodec;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;

import static io.freshet.spi.FreshetErrorCode.MATERIALIZED_VIEW_INVALID_DEFINITION;
import static java.util.Objects.requireNonNull;

/** Reads and writes {@link StoredView}, refusing what a later version wrote. */
public final class StoredViewCodec
{
    private final JsonCodec<StoredView> codec;
    private final JsonCodec<FormatVersion> versionCodec;

    @Inject
    public StoredViewCodec(JsonCodec<StoredView> codec, JsonCodec<FormatVersion> versionCodec)
    {
        this.codec = requireNonNull(codec, "codec is null");
        this.versionCodec = requireNonNull(versionCodec, "versionCodec is null");
    }

    public String encode(StoredView view)
    {
        return codec.toJson(view);
    }

    public StoredView decode(SchemaTableName viewName, String json)
    {
        int version;
        try {
            version = versionCodec.fromJson(json).formatVersion();
        }
        catch (IllegalArgumentException e) {
            throw new TrinoException(MATERIALIZED_VIEW_INVALID_DEFINITION, "The stored definition of materialized view '%s' is damaged. Drop and create the view again".formatted(viewName), e);
        }
        if (version != StoredView.CURRENT_FORMAT_VERSION) {
            throw new TrinoException(
                    MATERIALIZED_VIEW_INVALID_DEFINITION,
                    "Materialized view '%s' was written in format %s, this version reads format %s. Upgrade Freshet, or drop and create the view again".formatted(viewName, version, StoredView.CURRENT_FORMAT_VERSION));
        }
        try {
            return codec.fromJson(json);
        }
        catch (IllegalArgumentException e) {
            throw new TrinoException(MATERIALIZED_VIEW_INVALID_DEFINITION, "The stored definition of materialized view '%s' is damaged. Drop and create the view again".formatted(viewName), e);
        }
    }

    public record FormatVersion(int formatVersion) {}
}
