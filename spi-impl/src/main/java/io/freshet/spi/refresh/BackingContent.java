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
package io.freshet.spi.refresh;

import com.google.inject.Inject;
import io.airlift.json.JsonCodec;
import io.freshet.engine.plan.PlanReason;
import io.freshet.engine.plan.PlanReasonCode;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.SnapshotUtil;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * Finds the bookmarks that belong to the current content of a backing table.
 * <p>
 * They are in the summary of the snapshot that wrote the content. Compactions on top of it leave the content as it is and are
 * stepped over; any other foreign commit means that nobody knows what the content is now.
 */
public final class BackingContent
{
    private final JsonCodec<RefreshState> codec;

    @Inject
    public BackingContent(JsonCodec<RefreshState> codec)
    {
        this.codec = requireNonNull(codec, "codec is null");
    }

    /** Exactly one of the two is present. */
    public record Content(Optional<RefreshState> state, Optional<PlanReason> fault)
    {
        /**
         * The content, or why it cannot be built upon: a view that was read for it now means something else.
         *
         * @param read the views that were read
         * @param name what messages call such a view
         */
        <T> Content unlessRedefined(Function<RefreshState.Details, List<T>> read, Predicate<T> isRedefined, Function<T, String> name)
        {
            return state.stream()
                    .flatMap(known -> read.apply(known.details()).stream())
                    .filter(isRedefined)
                    .findFirst()
                    .map(view -> BackingContent.fault(PlanReasonCode.DEFINITION_CHANGED, "%s, which it reads, was redefined since it was filled".formatted(name.apply(view))))
                    .orElse(this);
        }
    }

    public Content read(Table backingTable, String viewVersionId)
    {
        Snapshot current = backingTable.currentSnapshot();
        if (current == null) {
            return fault(PlanReasonCode.NOT_BUILT, "the view was never filled");
        }
        for (Snapshot snapshot : SnapshotUtil.ancestorsOf(current.snapshotId(), backingTable::snapshot)) {
            String json = snapshot.summary().get(RefreshState.SUMMARY_KEY);
            if (json != null) {
                RefreshState state;
                try {
                    state = codec.fromJson(json);
                }
                catch (IllegalArgumentException e) {
                    return fault(PlanReasonCode.STATE_LOST, "the bookmarks of the view cannot be read");
                }
                if (!state.viewVersionId().equals(viewVersionId)) {
                    return fault(PlanReasonCode.DEFINITION_CHANGED, "the view was redefined since it was filled");
                }
                return new Content(Optional.of(state), Optional.empty());
            }
            if (!DataOperations.REPLACE.equals(snapshot.operation())) {
                return fault(PlanReasonCode.STATE_LOST, "the backing table was changed from outside by a commit of kind '%s'".formatted(snapshot.operation()));
            }
        }
        return fault(PlanReasonCode.STATE_LOST, "the snapshot with the bookmarks of the view is gone");
    }

    public String encode(RefreshState state)
    {
        return codec.toJson(state);
    }

    private static Content fault(PlanReasonCode code, String detail)
    {
        return new Content(Optional.empty(), Optional.of(PlanReason.of(code, detail)));
    }
}
