import { invalidField, type FieldError } from '#src/domain/refusal.ts';
import type { ApiServices } from '../api-services.ts';

/** Refuses forbidden trunk hosts (guides/design/threats.md, "Addresses of trunks"). */
export const requireTrunkHosts = async (
  { directory: { trunkHostProblem } }: ApiServices,
  { host, addresses = [] }: { host?: string; addresses?: readonly { host: string }[] },
): Promise<void> => {
  const named = [
    ...(host === undefined ? [] : [{ path: 'host', host }]),
    ...addresses.map((address, index) => ({ path: `addresses.${index}.host`, host: address.host })),
  ];
  const judged = await Promise.all(
    named.map(async ({ path, host: one }): Promise<FieldError[]> => {
      const message = await trunkHostProblem(one);
      return message === undefined ? [] : [{ path, message }];
    }),
  );
  const errors = judged.flat();
  if (errors.length > 0) throw invalidField(...errors);
};
