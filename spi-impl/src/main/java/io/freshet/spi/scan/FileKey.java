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

import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DeleteFile;

import static java.util.Objects.requireNonNull;

/**
 * What makes two manifest entries the same data file with the same rows, to which the same deletes apply. Not the path alone:
 * a file that was removed and added again is younger than before, and older deletes do not reach it any more. The first row id
 * is no part of it: it names rows, which a change scan does not give out, and an upgrade to format v3 hands it out for files
 * that stay as they are.
 */
record FileKey(String location, long dataSequenceNumber, int specId)
{
    FileKey
    {
        requireNonNull(location, "location is null");
    }

    static FileKey of(ContentFile<?> file)
    {
        return new FileKey(file.location(), sequenceNumber(file), file.specId());
    }

    /** Zero for files from before there were sequence numbers. */
    static long sequenceNumber(ContentFile<?> file)
    {
        return file.dataSequenceNumber() == null ? 0 : file.dataSequenceNumber();
    }

    /** What makes two manifest entries the same deletes: one Puffin file holds the vectors of many data files. */
    record DeleteKey(String location, Long contentOffset, Long contentSize, long dataSequenceNumber)
    {
        static DeleteKey of(DeleteFile file)
        {
            return new DeleteKey(file.location(), file.contentOffset(), file.contentSizeInBytes(), sequenceNumber(file));
        }
    }
}
