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
package io.freshet.spi.schedule;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.airlift.json.JsonCodec;
import io.airlift.log.Logger;
import io.freshet.engine.RelationName;
import io.freshet.engine.schedule.RefreshAgenda.Outcome;
import io.freshet.spi.schedule.ScheduleService.RunListener;
import io.freshet.spi.schedule.ViewRefresher.Result;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static io.airlift.json.JsonCodec.jsonCodec;
import static java.util.Objects.requireNonNull;

/**
 * Stores with a view that it has begun to fail, and that it has stopped to, so that its error outlives the coordinator. Not each
 * failure: every one would be a commit.
 */
public final class FailureNotes
        implements RunListener
{
    private static final Logger log = Logger.get(FailureNotes.class);
    private static final JsonCodec<Note> CODEC = jsonCodec(Note.class);
    private static final int LONGEST_ERROR = 2_000;

    private final ViewDirectory directory;
    /** Views that are known to have a note. */
    private final Set<RelationName> noted = ConcurrentHashMap.newKeySet();

    public FailureNotes(ViewDirectory directory)
    {
        this.directory = requireNonNull(directory, "directory is null");
    }

    /** @param atMillis end of the refresh that failed, in milliseconds since the epoch */
    public record Note(@JsonProperty("at") long atMillis, @JsonProperty("error") String error)
    {
        public Note
        {
            requireNonNull(error, "error is null");
        }

        /** Empty if there is none, or none that can be read. */
        public static Optional<Note> parse(Optional<String> text)
        {
            try {
                return text.map(CODEC::fromJson);
            }
            catch (IllegalArgumentException e) {
                log.debug(e, "A note of a failure cannot be read");
                return Optional.empty();
            }
        }
    }

    @Override
    public void seen(WatchedView view, long nowMillis)
    {
        if (view.failure().isPresent()) {
            noted.add(view.scheduled().name());
        }
    }

    @Override
    public void finished(RelationName view, Result result, long startMillis, long nowMillis)
    {
        boolean failed = result.outcome() == Outcome.FAILED;
        if (result.outcome() == Outcome.CONFLICT || failed == noted.contains(view)) {
            return;
        }
        try {
            directory.noteFailure(view, failed ? Optional.of(CODEC.toJson(new Note(nowMillis, shortened(result.error().orElse("unknown"))))) : Optional.empty());
            if (failed) {
                noted.add(view);
            }
            else {
                noted.remove(view);
            }
        }
        catch (RuntimeException e) {
            // the next run brings another chance
            log.debug(e, "The failure of materialized view %s could not be stored", view);
        }
    }

    private static String shortened(String error)
    {
        return error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR);
    }

    @Override
    public void removed(RelationName view)
    {
        noted.remove(view);
    }
}
