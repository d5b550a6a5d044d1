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
package io.freshet.spi.surface;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.Arrays;

import static com.google.common.collect.MoreCollectors.onlyElement;
import static java.lang.invoke.MethodHandles.lookup;

/** The methods by which the engine calls procedures. */
final class ProcedureMethods
{
    private ProcedureMethods() {}

    /** The public method of that name, of which the class has one. */
    static MethodHandle method(Object procedure, String name)
    {
        Method method = Arrays.stream(procedure.getClass().getMethods())
                .filter(candidate -> candidate.getName().equals(name))
                .collect(onlyElement());
        try {
            return lookup().unreflect(method).bindTo(procedure);
        }
        catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
