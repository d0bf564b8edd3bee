/** Records in a query, whose names are data. Each member of a record is a separate parameter: `metadata.order=42`. */
import * as z from 'zod';

type Query = Readonly<Record<string, unknown>>;

export const isRecordField = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodOptional ? isRecordField(schema.unwrap()) : schema instanceof z.ZodRecord;

const recordsIn = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => (isRecordField(schema) ? [name] : []));

/** Returns the query with each record gathered into one field; a record without parameters is absent. */
export const gathered = (schema: z.ZodObject | undefined, query: Query): Query => {
  const records = schema === undefined ? [] : recordsIn(schema);
  if (records.length === 0) return query;
  const parameters = Object.entries(query);
  const members = (record: string) =>
    parameters.flatMap(([name, value]) =>
      name.startsWith(`${record}.`) ? [[name.slice(record.length + 1), value] as const] : [],
    );
  const found = records.flatMap((record) => {
    const given = members(record);
    return given.length === 0 ? [] : [[record, Object.fromEntries(given)] as const];
  });
  return found.length === 0 ? query : { ...query, ...Object.fromEntries(found) };
};
