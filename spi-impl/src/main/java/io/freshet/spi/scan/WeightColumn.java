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
import io.trino.plugin.iceberg.ColumnIdentity;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.predicate.TupleDomain;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.plugin.iceberg.ColumnIdentity.TypeCategory.PRIMITIVE;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * The column that says how often a row of the change scan counts. It has the class of Iceberg's columns, which casts in the
 * delegate rely on, and an id that no file has; so it must be taken out of everything that reaches Iceberg.
 */
final class WeightColumn
{
    static final String DEFAULT_NAME = "weight";

    // Iceberg's reserved ids count down from Integer.MAX_VALUE, Trino's count up from Integer.MIN_VALUE
    private static final int ID = Integer.MIN_VALUE + 1000;

    private WeightColumn() {}

    static IcebergColumnHandle create(String name)
    {
        return IcebergColumnHandle.required(new ColumnIdentity(ID, name, PRIMITIVE, ImmutableList.of()))
                .columnType(TINYINT)
                .build();
    }

    static boolean isWeight(ColumnHandle column)
    {
        return ((IcebergColumnHandle) column).getId() == ID;
    }

    static Set<ColumnHandle> without(Set<ColumnHandle> columns)
    {
        return columns.stream()
                .filter(column -> !isWeight(column))
                .collect(toImmutableSet());
    }

    static TupleDomain<ColumnHandle> without(TupleDomain<ColumnHandle> predicate)
    {
        return predicate.filter((column, _) -> !isWeight(column));
    }

    static DynamicFilterSnapshot without(DynamicFilterSnapshot snapshot)
    {
        return new DynamicFilterSnapshot(without(snapshot.currentPredicate()), snapshot.isComplete());
    }

    static DynamicFilter without(DynamicFilter filter)
    {
        return filter.getColumnsCovered().stream().anyMatch(WeightColumn::isWeight) ? new WithoutWeight(filter) : filter;
    }

    private record WithoutWeight(DynamicFilter filter)
            implements DynamicFilter
    {
        private WithoutWeight
        {
            requireNonNull(filter, "filter is null");
        }

        @Override
        public Set<ColumnHandle> getColumnsCovered()
        {
            return without(filter.getColumnsCovered());
        }

        @Override
        public CompletableFuture<?> isBlocked()
        {
            return filter.isBlocked();
        }

        @Override
        public boolean isComplete()
        {
            return filter.isComplete();
        }

        @Override
        public boolean isAwaitable()
        {
            return filter.isAwaitable();
        }

        @Override
        public TupleDomain<ColumnHandle> getCurrentPredicate()
        {
            return without(filter.getCurrentPredicate());
        }
    }
}
