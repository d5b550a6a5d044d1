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
package io.freshet.spi.catalog;

import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

import static java.util.Objects.requireNonNull;

/** A table that has the files of another one. */
abstract class DerivedTableOperations
        implements TableOperations
{
    protected final TableOperations delegate;

    protected DerivedTableOperations(TableOperations delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public final FileIO io()
    {
        return delegate.io();
    }

    @Override
    public final EncryptionManager encryption()
    {
        return delegate.encryption();
    }

    @Override
    public final String metadataFileLocation(String fileName)
    {
        return delegate.metadataFileLocation(fileName);
    }

    @Override
    public final LocationProvider locationProvider()
    {
        return delegate.locationProvider();
    }

    @Override
    public final long newSnapshotId()
    {
        return delegate.newSnapshotId();
    }
}
