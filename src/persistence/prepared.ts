/**
 * A query that is written once and compiled once, whatever it is asked with: it costs no more than text by hand. Nearly
 * every query of this folder is one; those whose shape depends on what is asked (a list with filters) are compiled
 * each time, which takes some ten microseconds beside the hundreds that a statement takes.
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

/** Stands for a value until the query runs. */
class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const isConstant = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;

/** Writes what is the same in each execution into the text, so that the server sees that a partial index fits. */
class Constants extends OperationNodeTransformer implements KyselyPlugin {
  protected override transformValue(node: ValueNode): ValueNode {
    return isConstant(node.value) ? ValueNode.createImmediate(node.value) : node;
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    const list: OperationNode = ValueListNode.create(
      node.values.map((value) => this.transformValue(ValueNode.create(value))),
    );
    // Compilers take a list of values wherever they take a primitive one; the declaration knows the same kind only.
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
 * `write` is called once for each database. Its values are placeholders, which can be put into the query and nothing
 * else: a condition, a sum or a default on one of them belongs before the call, or into the query.
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
