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
package io.freshet.spi.scan;

import com.google.common.collect.ImmutableList;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;

import java.util.List;

import static java.util.Objects.requireNonNull;

/** A data file with the deletes that apply to it in either state; none in a state that does not have the file. */
record FileChange(DataFile file, List<DeleteFile> before, List<DeleteFile> after)
{
    FileChange
    {
        requireNonNull(file, "file is null");
        before = ImmutableList.copyOf(before);
        after = ImmutableList.copyOf(after);
    }
}
