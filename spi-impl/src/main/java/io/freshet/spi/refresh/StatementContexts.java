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

import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static com.google.common.base.Preconditions.checkState;

/**
 * Who may touch backing tables. Rights belong to statements, by query id: inside a view the engine analyzes with another
 * identity, whose credentials are gone, but the query stays the same.
 * <p>
 * A token is a random number, known to the connector and to the statement that it sends, void when the refresh ends.
 */
public final class StatementContexts
{
    /** Name of the extra credential by which a statement shows its token. */
    public static final String TOKEN_CREDENTIAL = "freshet_refresh_token";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Map<String, RefreshJob> jobsByToken = new ConcurrentHashMap<>();
    private final Map<String, StatementContext> statements = new ConcurrentHashMap<>();

    /** Gives the right described by the job to whoever shows the returned token. */
    public String register(RefreshJob job)
    {
        String token = randomText(32);
        checkState(jobsByToken.putIfAbsent(token, job) == null, "token repeated");
        return token;
    }

    public void revoke(String token)
    {
        jobsByToken.remove(token);
    }

    /** The job of the statement to which the session belongs, if it shows a valid token. */
    public Optional<RefreshJob> job(ConnectorSession session)
    {
        if (session instanceof BackgroundSession) {
            // looks at the catalog on its own account, even if a statement with a token asks for it
            return Optional.empty();
        }
        StatementContext context = statements.get(session.getQueryId());
        if (context != null && context.job.isPresent()) {
            return context.job;
        }
        String token = session.getIdentity().getExtraCredentials().get(TOKEN_CREDENTIAL);
        if (token == null) {
            return Optional.empty();
        }
        RefreshJob job = jobsByToken.get(token);
        if (job == null || !job.user().equals(session.getUser())) {
            return Optional.empty();
        }
        context(session).job = Optional.of(job);
        return Optional.of(job);
    }

    /**
     * Part of the name under which this statement, and no other, may read backing tables of the views it uses.
     */
    public String nonce(ConnectorSession session)
    {
        return context(session).nonce;
    }

    /** Lets the statement read the backing table of a view that it uses. */
    public void grantRead(ConnectorSession session, SchemaTableName backingTable)
    {
        context(session).readable.add(backingTable);
    }

    public boolean mayRead(ConnectorSession session, SchemaTableName backingTable)
    {
        StatementContext context = statements.get(session.getQueryId());
        return context != null && context.readable.contains(backingTable);
    }

    /**
     * Lets a statement of a refresh read a table that it was not planned for: one that stands behind something whose changes are
     * not followed, so that its snapshot does not matter.
     */
    public void allowUnpinned(ConnectorSession session, SchemaTableName table)
    {
        StatementContext context = statements.get(session.getQueryId());
        if (context != null) {
            context.unpinned.add(table);
        }
    }

    public boolean mayReadUnpinned(ConnectorSession session, SchemaTableName table)
    {
        StatementContext context = statements.get(session.getQueryId());
        return context != null && context.unpinned.contains(table);
    }

    /** Forgets the statement. */
    public void finished(ConnectorSession session)
    {
        statements.remove(session.getQueryId());
    }

    private StatementContext context(ConnectorSession session)
    {
        return statements.computeIfAbsent(session.getQueryId(), _ -> new StatementContext());
    }

    private static String randomText(int bytes)
    {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private static final class StatementContext
    {
        private final String nonce = randomText(8);
        private final Set<SchemaTableName> readable = ConcurrentHashMap.newKeySet();
        private final Set<SchemaTableName> unpinned = ConcurrentHashMap.newKeySet();
        private volatile Optional<RefreshJob> job = Optional.empty();
    }
}
