/**
 * A query that is written and compiled once for all values: as cheap as SQL text written by hand. Nearly every query of
 * this folder is prepared; those whose shape depends on the request (a list with filters) are compiled each time, which
 * takes some ten microseconds beside the hundreds of a statement.
 */
import {
  OperationNodeTransformer,
  ValueListNode,
  ValueNode,
  type Compilable,
  type CompiledQuery,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type PrimitiveValueListNode,
} from 'kysely';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** Placeholder for a value until the query runs. */
class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const isConstant = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;

/** Writes constants into the text, so that the server can match partial indexes. */
class Constants extends OperationNodeTransformer implements KyselyPlugin {
  protected override transformValue(node: ValueNode): ValueNode {
    return isConstant(node.value) ? ValueNode.createImmediate(node.value) : node;
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    const list: OperationNode = ValueListNode.create(
      node.values.map((value) => this.transformValue(ValueNode.create(value))),
    );
    // Compilers accept a value list wherever they accept a primitive one; the declared type allows only the same kind.
    return list as PrimitiveValueListNode;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    return this.transformNode(node, queryId);
  }

  transformResult({ result }: PluginTransformResultArgs) {
    return Promise.resolve(result);
  }
}

const constants = new Constants();

/**
 * `write` is called once for each database. Its values are placeholders that can only be inserted into the query:
 * compute conditions, sums and defaults before the call or within the query.
 */
export const prepared = <Values extends object, Found>(
  write: (queries: Queries, values: Values) => Compilable<Found>,
): ((db: Pick<Statements, 'queries' | 'run'>, values: Values) => Promise<Found[]>) => {
  const compiled = new WeakMap<Queries, CompiledQuery<Found>>();
  return ({ queries, run }, values) => {
    let query = compiled.get(queries);
    if (query === undefined) {
      const placeholders = new Proxy<Values>(Object.create(null), {
        get: (_none, name) => new Parameter(String(name)),
      });
      query = write(queries.withPlugin(constants), placeholders).compile();
      compiled.set(queries, query);
    }
    const parameters = query.parameters.map((parameter): unknown =>
      parameter instanceof Parameter ? Reflect.get(values, parameter.name) : parameter,
    );
    return run({ ...query, parameters });
  };
};
