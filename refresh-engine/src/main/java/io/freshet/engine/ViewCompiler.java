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
package io.freshet.engine;

import io.freshet.engine.analyze.ViewAnalyzer;

/**
 * From the text of a view to all that it says. Total: a query that is not understood, or not even parsed, is compiled to one that
 * is not maintained. Deterministic: the same text over the same relations gives an equal result.
 */
public final class ViewCompiler
{
    /**
     * @throws RuntimeException only what the resolver throws
     */
    public CompiledView compile(ViewText view, RelationResolver resolver)
    {
        return new ViewAnalyzer(view, resolver).analyze();
    }
}
