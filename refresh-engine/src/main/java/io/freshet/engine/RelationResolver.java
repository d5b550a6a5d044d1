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

/**
 * The catalog, as far as compiling a view needs it. Answers are taken as one consistent picture for the time of one compilation.
 * An implementation throws its own exceptions if the catalog cannot be read; they pass through the compiler unchanged.
 */
public interface RelationResolver
{
    ResolvedRelation resolve(RelationName name);
}
