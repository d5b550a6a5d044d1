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
package io.freshet.staleness;

import static java.util.Objects.requireNonNull;

/**
 * What a column name of a source means at one moment. A name is a dotted path in lower case for a nested field.
 *
 * @param fieldId the table format's id of the field: survives renames, differs after drop and add
 * @param type the type with the ids of its nested fields, in a textual form that has no other use than being compared
 * @param required true if the format guarantees the absence of NULL
 */
public record ResolvedColumn(String name, int fieldId, String type, boolean required)
{
    public ResolvedColumn
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
    }

    /**
     * Whether what was built on this column is still right if its name now resolves to {@code now}.
     * A guarantee of no NULL may be gained, but not lost: a plan may have relied on it.
     */
    boolean stillMeans(ResolvedColumn now)
    {
        return name.equals(now.name)
                && fieldId == now.fieldId
                && type.equals(now.type)
                && (!required || now.required);
    }
}
