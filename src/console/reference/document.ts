/** The gateway's OpenAPI document in the form that this page needs, with operations ordered by group. */

/** The keywords of JSON Schema that the gateway uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  title?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

type Content = Readonly<
  Record<string, { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, unknown>> }>
>;

type Described = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Readonly<Record<string, string[]>>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Readonly<Record<string, { description: string; content?: Content }>>;
};

type ApiDocument = {
  info: { version: string };
  tags: Tag[];
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

export type Tag = { name: string; description: string };

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};

/** Kind of key or token that the operation requires. */
export type Auth = 'numberKey' | 'adminToken' | 'none';

export type Answer = {
  status: string;
  description: string;
  media: string | null;
  schema: Schema;
  example: unknown;
};

export type ApiRefusal = { code: string; status: number; title: string };

export type Operation = {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  auth: Auth;
  /** Whether the operation rejects a read-only token. */
  isForAdmins: boolean;
  parameters: readonly Parameter[];
  body: { schema: Schema; example: unknown; isRequired: boolean } | null;
  answers: readonly Answer[];
  refusals: readonly ApiRefusal[];
};

export type Reference = {
  version: string;
  tags: readonly Tag[];
  operations: readonly Operation[];
  schemas: Readonly<Record<string, Schema>>;
};

const problemMedia = 'application/problem+json';

/** Resolves a `$ref`. The schema's own keywords override those of the target. */
export const resolved = (schema: Schema, schemas: Reference['schemas']): Schema => {
  const { $ref, ...own } = schema;
  if ($ref === undefined) return schema;
  return { ...schemas[$ref.replace('#/components/schemas/', '')], ...own };
};

const refusalOf = (code: string, schemas: Reference['schemas']): ApiRefusal => {
  const { status, title } = schemas[`Problem.${code}`]?.properties ?? {};
  return { code, status: Number(status?.const), title: String(title?.const) };
};

const answersIn = ([status, { description, content = {} }]: [
  string,
  Described['responses'][string],
]): Answer[] => {
  const all = Object.entries(content).filter(([media]) => media !== problemMedia);
  if (all.length === 0) return [{ status, description, media: null, schema: {}, example: undefined }];
  return all.map(([media, { schema = {}, example }]) => ({ status, description, media, schema, example }));
};

const operationOf = (
  path: string,
  method: string,
  described: Described,
  schemas: Reference['schemas'],
): Operation => {
  const { operationId: id, summary, description, parameters = [], requestBody, responses } = described;
  const scheme = Object.keys(described.security[0] ?? {})[0];
  const body = requestBody?.content['application/json'];
  const codes = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.[problemMedia]?.examples ?? {}),
  );
  return {
    id,
    method: method.toUpperCase(),
    path,
    tag: described.tags[0] ?? '',
    summary,
    description,
    auth: scheme === 'numberKey' || scheme === 'adminToken' ? scheme : 'none',
    isForAdmins: codes.includes('forbidden'),
    parameters,
    body:
      body === undefined
        ? null
        : { schema: body.schema ?? {}, example: body.example, isRequired: requestBody?.required === true },
    answers: Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .flatMap(answersIn),
    refusals: codes.map((code) => refusalOf(code, schemas)),
  };
};

/** Converts the document. The gateway generates the document and tests its structure, so it is not validated here. */
export const referenceOf = ({ info, tags, paths, components: { schemas } }: ApiDocument): Reference => ({
  version: info.version,
  tags,
  operations: Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(path, method, described, schemas)),
  ),
  schemas,
});
