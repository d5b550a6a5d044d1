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
package io.freshet.spi.refresh;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.json.JsonCodec;
import io.airlift.log.Logger;
import org.apache.iceberg.BaseTable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;

/**
 * What refreshes did. Duration and bytes are known only after the commit, so a record is kept in memory first and written, as
 * a bounded table property, in the same commit as the next refresh that writes rows. What changes nothing is not stored.
 */
public final class RefreshHistory
{
    static final String PROPERTY = "freshet.history";

    private static final Logger log = Logger.get(RefreshHistory.class);
    private static final int STORED_RECORDS = 50;
    private static final int REMEMBERED_RECORDS = 100;
    private static final int REMEMBERED_VIEWS = 10_000;

    private final JsonCodec<List<RefreshRecord>> codec;
    private final Cache<String, Deque<RefreshRecord>> recent = CacheBuilder.newBuilder().maximumSize(REMEMBERED_VIEWS).build();

    @Inject
    public RefreshHistory(JsonCodec<List<RefreshRecord>> codec)
    {
        this.codec = requireNonNull(codec, "codec is null");
    }

    public void add(BaseTable backingTable, RefreshRecord record)
    {
        add(backingTable.operations().current().uuid(), record);
    }

    public void add(String backingTableUuid, RefreshRecord record)
    {
        Deque<RefreshRecord> records = recent.asMap().computeIfAbsent(backingTableUuid, _ -> new ArrayDeque<>());
        synchronized (records) {
            records.addLast(record);
            while (records.size() > REMEMBERED_RECORDS) {
                records.removeFirst();
            }
        }
    }

    /** Oldest first. */
    public List<RefreshRecord> of(BaseTable backingTable)
    {
        Map<String, RefreshRecord> byId = new LinkedHashMap<>();
        stored(backingTable).forEach(record -> byId.put(record.refreshId(), record));
        remembered(backingTable).forEach(record -> byId.put(record.refreshId(), record));
        return byId.values().stream()
                .sorted(comparingLong(RefreshRecord::startedAt))
                .collect(toImmutableList());
    }

    /** The property to be written with the next rows. */
    Map<String, String> property(BaseTable backingTable)
    {
        List<RefreshRecord> worthKeeping = of(backingTable).stream()
                .filter(record -> record.backingSnapshotId().isPresent())
                .collect(toImmutableList());
        if (worthKeeping.isEmpty()) {
            return Map.of();
        }
        return Map.of(PROPERTY, codec.toJson(worthKeeping.subList(Math.max(0, worthKeeping.size() - STORED_RECORDS), worthKeeping.size())));
    }

    private List<RefreshRecord> stored(BaseTable backingTable)
    {
        String json = backingTable.properties().get(PROPERTY);
        if (json == null) {
            return ImmutableList.of();
        }
        try {
            return codec.fromJson(json);
        }
        catch (IllegalArgumentException e) {
            log.warn(e, "The refresh history of %s cannot be read", backingTable.name());
            return ImmutableList.of();
        }
    }

    private List<RefreshRecord> remembered(BaseTable backingTable)
    {
        Deque<RefreshRecord> records = recent.getIfPresent(backingTable.operations().current().uuid());
        if (records == null) {
            return ImmutableList.of();
        }
        synchronized (records) {
            return ImmutableList.copyOf(records);
        }
    }
}
