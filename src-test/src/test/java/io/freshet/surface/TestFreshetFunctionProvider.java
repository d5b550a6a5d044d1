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
package io.freshet.surface;

import io.freshet.spi.surface.FreshetFunctionProvider;
import io.trino.spi.function.FunctionProvider;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

final class TestFreshetFunctionProvider
{
    @Test
    void testForwardsEverything()
    {
        Stream<Method> methods = Arrays.stream(FunctionProvider.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()));
        assertThat(methods).allSatisfy(method -> assertThat(FreshetFunctionProvider.class.getDeclaredMethod(method.getName(), method.getParameterTypes())).isNotNull());
    }
}
