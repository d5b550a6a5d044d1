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
package io.freshet.engine.analyze;

import com.google.common.collect.ImmutableList;
import io.freshet.engine.RefusalCode;
import io.trino.sql.tree.ArithmeticBinaryExpression;
import io.trino.sql.tree.ArithmeticUnaryExpression;
import io.trino.sql.tree.Array;
import io.trino.sql.tree.AtLocal;
import io.trino.sql.tree.AtTimeZone;
import io.trino.sql.tree.BetweenPredicate;
import io.trino.sql.tree.BooleanTestPredicate;
import io.trino.sql.tree.Cast;
import io.trino.sql.tree.CoalesceExpression;
import io.trino.sql.tree.ComparisonPredicate;
import io.trino.sql.tree.CurrentCatalog;
import io.trino.sql.tree.CurrentDate;
import io.trino.sql.tree.CurrentPath;
import io.trino.sql.tree.CurrentSchema;
import io.trino.sql.tree.CurrentTime;
import io.trino.sql.tree.CurrentTimestamp;
import io.trino.sql.tree.CurrentUser;
import io.trino.sql.tree.DateTimeDataType;
import io.trino.sql.tree.DereferenceExpression;
import io.trino.sql.tree.DistinctFromPredicate;
import io.trino.sql.tree.ExistsPredicate;
import io.trino.sql.tree.Expression;
import io.trino.sql.tree.ExpressionRewriter;
import io.trino.sql.tree.ExpressionTreeRewriter;
import io.trino.sql.tree.Extract;
import io.trino.sql.tree.Format;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.GroupingOperation;
import io.trino.sql.tree.Identifier;
import io.trino.sql.tree.IfExpression;
import io.trino.sql.tree.InListExpression;
import io.trino.sql.tree.InPredicate;
import io.trino.sql.tree.IsNullPredicate;
import io.trino.sql.tree.JsonExists;
import io.trino.sql.tree.JsonQuery;
import io.trino.sql.tree.JsonValue;
import io.trino.sql.tree.LambdaArgumentDeclaration;
import io.trino.sql.tree.LambdaExpression;
import io.trino.sql.tree.LikePredicate;
import io.trino.sql.tree.Literal;
import io.trino.sql.tree.LocalTime;
import io.trino.sql.tree.LocalTimestamp;
import io.trino.sql.tree.LogicalExpression;
import io.trino.sql.tree.MatchPredicate;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NotExpression;
import io.trino.sql.tree.NullIfExpression;
import io.trino.sql.tree.OverlapsPredicate;
import io.trino.sql.tree.Overlay;
import io.trino.sql.tree.Predicate;
import io.trino.sql.tree.Predicated;
import io.trino.sql.tree.QualifiedName;
import io.trino.sql.tree.QuantifiedComparisonPredicate;
import io.trino.sql.tree.Row;
import io.trino.sql.tree.SearchedCaseExpression;
import io.trino.sql.tree.SimpleCaseExpression;
import io.trino.sql.tree.SubqueryExpression;
import io.trino.sql.tree.SubscriptExpression;
import io.trino.sql.tree.Trim;
import io.trino.sql.tree.TryExpression;
import io.trino.sql.tree.UniquePredicate;
import io.trino.sql.tree.WhenClause;
import io.trino.sql.tree.WindowOperation;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.freshet.engine.analyze.RefusedException.refused;
import static java.util.Objects.requireNonNull;

/**
 * Puts resolved columns in place of names, and refuses what is not on the list of maintained expressions.
 * The context is the names of the lambda parameters in scope.
 */
final class ExpressionResolver
        extends ExpressionRewriter<List<Identifier>>
{
    private final List<Field> fields;
    private final List<Field> outerFields;
    private final boolean windows;

    private ExpressionResolver(List<Field> fields, List<Field> outerFields, boolean windows)
    {
        this.fields = ImmutableList.copyOf(requireNonNull(fields, "fields is null"));
        this.outerFields = ImmutableList.copyOf(requireNonNull(outerFields, "outerFields is null"));
        this.windows = windows;
    }

    static Expression resolve(Expression expression, List<Field> fields)
    {
        return ExpressionTreeRewriter.rewriteWith(new ExpressionResolver(fields, ImmutableList.of(), false), expression, ImmutableList.of());
    }

    /** In a subquery, where a name that means no column of its own may mean one of the query around it. */
    static Expression resolveCorrelated(Expression expression, List<Field> fields, List<Field> outerFields)
    {
        return ExpressionTreeRewriter.rewriteWith(new ExpressionResolver(fields, outerFields, false), expression, ImmutableList.of());
    }

    /** In a place where window functions may stand. */
    static Expression resolveWithWindows(Expression expression, List<Field> fields)
    {
        return ExpressionTreeRewriter.rewriteWith(new ExpressionResolver(fields, ImmutableList.of(), true), expression, ImmutableList.of());
    }

    @Override
    protected Expression rewriteExpression(Expression node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        return switch (node) {
            case AtLocal _, AtTimeZone _ -> checkZoneChange(node, node);
            case ArithmeticBinaryExpression _, ArithmeticUnaryExpression _, Array _, CoalesceExpression _,
                    Extract _, Format _, IfExpression _, InListExpression _, JsonExists _, JsonQuery _, JsonValue _, Literal _,
                    LogicalExpression _, NotExpression _, NullIfExpression _, Overlay _, Row _, SearchedCaseExpression _,
                    SimpleCaseExpression _, SubscriptExpression _, Trim _, TryExpression _ -> null;
            case WhenClause clause -> clause.getMatch() instanceof WhenClause.Partial partial ? checkPredicate(clause, partial.predicate()) : null;
            case Predicated predicated -> checkPredicate(predicated, predicated.getPredicate());
            case SubqueryExpression _, ExistsPredicate _, UniquePredicate _ -> throw subquery(node);
            case WindowOperation _ -> throw refused(RefusalCode.WINDOW_FUNCTION, node, "window operation", "depends on other rows");
            case CurrentDate _, CurrentTime _, CurrentTimestamp _, LocalTime _, LocalTimestamp _ ->
                throw refused(RefusalCode.TIME_DEPENDENT_FUNCTION, node, node.toString(), "depends on the time of the refresh");
            case CurrentUser _, CurrentCatalog _, CurrentSchema _, CurrentPath _ ->
                throw refused(RefusalCode.SESSION_DEPENDENT_FUNCTION, node, node.toString(), "depends on the session");
            default -> throw refused(RefusalCode.UNSUPPORTED_SYNTAX, node, "expression", "is not maintained: " + node);
        };
    }

    private static Expression checkPredicate(Expression node, Predicate predicate)
    {
        return switch (predicate) {
            case BetweenPredicate _, BooleanTestPredicate _, ComparisonPredicate _, DistinctFromPredicate _, InPredicate _, IsNullPredicate _,
                    LikePredicate _ -> null;
            case MatchPredicate _, QuantifiedComparisonPredicate _ -> throw subquery(node);
            case OverlapsPredicate _ -> throw refused(RefusalCode.UNSUPPORTED_SYNTAX, node, "OVERLAPS", "is not maintained");
        };
    }

    private boolean mayBeTimeOfDay(Node value)
    {
        return TimesOfDay.mayBeTimeOfDay(value, ImmutableList.<Field>builder().addAll(fields).addAll(outerFields).build());
    }

    private Expression checkZoneChange(Expression node, Node value)
    {
        if (mayBeTimeOfDay(value)) {
            throw refused(RefusalCode.TIME_DEPENDENT_FUNCTION, node, "change of zone of a time of day", "takes the zone offset of the refresh");
        }
        return null;
    }

    private static RefusedException subquery(Expression node)
    {
        return refused(RefusalCode.SUBQUERY, node, "subquery", "is not maintained");
    }

    @Override
    public Expression rewriteCast(Cast node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        // the type is left alone: its names are not columns
        Expression value = rewriter.rewrite(node.getExpression(), parameters);
        if (node.getType() instanceof DateTimeDataType type && takesCurrentDate(type, node.getExpression())) {
            throw refused(
                    RefusalCode.TIME_DEPENDENT_FUNCTION,
                    node,
                    "cast of a time of day",
                    "takes the date or the zone offset of the refresh");
        }
        return new Cast(node.getLocation().orElseThrow(), value, node.getType(), node.isSafe());
    }

    private boolean takesCurrentDate(DateTimeDataType type, Expression value)
    {
        return switch (type.getType()) {
            case TIMESTAMP -> mayBeTimeOfDay(value);
            case TIME -> type.isWithTimeZone();
        };
    }

    @Override
    public Expression rewriteGroupingOperation(GroupingOperation node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        List<QualifiedName> columns = node.getGroupingColumns().stream()
                .map(column -> rewriter.rewrite(column, parameters))
                .map(column -> SelectAnalyzer.relationName(column)
                        .orElseThrow(() -> refused(RefusalCode.GROUPING_SETS, node, "grouping", "of an expression is not maintained")))
                .collect(toImmutableList());
        return new GroupingOperation(node.getLocation().orElseThrow(), columns);
    }

    @Override
    public Expression rewriteLambdaExpression(LambdaExpression node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        List<Identifier> inner = ImmutableList.<Identifier>builder()
                .addAll(parameters)
                .addAll(node.getArguments().stream().map(LambdaArgumentDeclaration::getName).collect(toImmutableList()))
                .build();
        return new LambdaExpression(node.getLocation().orElseThrow(), node.getArguments(), rewriter.rewrite(node.getBody(), inner));
    }

    @Override
    public Expression rewriteFunctionCall(FunctionCall node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        if (windows && node.getWindow().isPresent()) {
            FunctionCalls.checkWindow(node);
            return null;
        }
        FunctionCalls.check(node);
        String name = node.getName().getSuffix();
        return name.equals("at_timezone") || name.equals("with_timezone") ? checkZoneChange(node, node) : null;
    }

    @Override
    public Expression rewriteIdentifier(Identifier node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        if (isParameter(node, parameters)) {
            return node;
        }
        return column(node, ImmutableList.of(node))
                .orElseThrow(() -> unresolved(node, node.getValue()));
    }

    @Override
    public Expression rewriteDereferenceExpression(DereferenceExpression node, List<Identifier> parameters, ExpressionTreeRewriter<List<Identifier>> rewriter)
    {
        Identifier field = node.getField()
                .orElseThrow(() -> refused(RefusalCode.UNSUPPORTED_SYNTAX, node, "star", "is not maintained here"));
        QualifiedName name = DereferenceExpression.getQualifiedName(node);
        if (name != null && !isParameter(name.getOriginalParts().getFirst(), parameters)) {
            Optional<Expression> column = column(node, name.getOriginalParts());
            if (column.isPresent()) {
                return column.get();
            }
            if (isRelation(name)) {
                throw unresolved(node, name.toString());
            }
        }
        return new DereferenceExpression(rewriter.rewrite(node.getBase(), parameters), field);
    }

    private boolean isRelation(QualifiedName name)
    {
        List<Field> all = ImmutableList.<Field>builder().addAll(fields).addAll(outerFields).build();
        boolean column = all.stream().anyMatch(field -> field.isNamed(name.getOriginalParts().subList(0, 1)));
        return !column && all.stream().anyMatch(field -> field.isOf(name.getPrefix().orElseThrow()));
    }

    private static boolean isParameter(Identifier identifier, List<Identifier> parameters)
    {
        return parameters.stream().anyMatch(parameter -> parameter.getValue().equalsIgnoreCase(identifier.getValue()));
    }

    private Optional<Expression> column(Expression node, List<Identifier> parts)
    {
        return column(node, parts, fields).or(() -> hidesOuter(parts) ? Optional.empty() : column(node, parts, outerFields));
    }

    /** Whether the name begins with that of a column of the subquery; then the rest are fields in it. */
    private boolean hidesOuter(List<Identifier> parts)
    {
        return IntStream.range(1, parts.size())
                .anyMatch(length -> fields.stream().anyMatch(field -> field.isNamed(parts.subList(0, length))));
    }

    private static Optional<Expression> column(Expression node, List<Identifier> parts, List<Field> fields)
    {
        List<Field> matches = fields.stream()
                .filter(field -> field.isNamed(parts))
                .collect(toImmutableList());
        if (matches.size() > 1) {
            throw refused(RefusalCode.AMBIGUOUS_NAME, node, "column " + node, "is ambiguous");
        }
        return matches.stream()
                .findFirst()
                .map(Field::meaning);
    }

    private static RefusedException unresolved(Expression node, String name)
    {
        String column = name.substring(name.lastIndexOf('.') + 1);
        if (column.startsWith("$")) {
            return refused(RefusalCode.HIDDEN_COLUMN, node, "hidden column " + column, "may change while the rows do not");
        }
        return refused(RefusalCode.AMBIGUOUS_NAME, node, "column " + name, "cannot be resolved with certainty");
    }
}
