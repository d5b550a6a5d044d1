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
package io.freshet.engine.plan;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.ApplyMethod;
import io.freshet.engine.CompiledView;
import io.freshet.engine.RefreshMode;
import io.freshet.engine.Refusal;
import io.freshet.engine.StateLayout;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * The facts from which a refresh is planned.
 *
 * @param layout where keys and states are; empty if the view is not maintained, or if its full refresh shall not write states
 * @param layoutRefusal why there is no layout, if that was found when the view was created
 * @param sources one entry for each mention of {@link CompiledView#sources()} that is not at a fixed version; others are ignored
 * @param contentFault why the content of the backing table cannot be built upon, with a code such as NOT_BUILT, STATE_LOST or
 *         DEFINITION_CHANGED; empty if it can
 * @param functionCatalog catalog whose schema {@code system} holds the table function {@code table_delta}
 * @param apply how groups are merged if there is a choice, MERGE or REWRITE; empty for the cheaper way. For tests
 */
public record PlanRequest(
        CompiledView view,
        Optional<StateLayout> layout,
        Optional<Refusal> layoutRefusal,
        RefreshMode mode,
        List<SourceFacts> sources,
        Optional<PlanReason> contentFault,
        BackingTable backing,
        String functionCatalog,
        Optional<ApplyMethod> apply)
{
    public PlanRequest
    {
        requireNonNull(view, "view is null");
        requireNonNull(layout, "layout is null");
        requireNonNull(layoutRefusal, "layoutRefusal is null");
        requireNonNull(mode, "mode is null");
        sources = ImmutableList.copyOf(sources);
        requireNonNull(contentFault, "contentFault is null");
        requireNonNull(backing, "backing is null");
        requireNonNull(functionCatalog, "functionCatalog is null");
        requireNonNull(apply, "apply is null");
    }

    public PlanRequest(
            CompiledView view,
            Optional<StateLayout> layout,
            RefreshMode mode,
            List<SourceFacts> sources,
            Optional<PlanReason> contentFault,
            BackingTable backing,
            String functionCatalog)
    {
        this(view, layout, Optional.empty(), mode, sources, contentFault, backing, functionCatalog, Optional.empty());
    }
}
