import * as z from 'zod';
import { boundTrunkOf } from '#src/administration/administer-trunks.ts';
import { normalizeDestination } from '#src/domain/phone-number.ts';
import { readPhoneNumber } from '#src/domain/read-number.ts';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import { leftOutBecause } from '#src/domain/trunk.ts';
import type { ApiServices } from '../api-services.ts';
import { domesticNumber } from '../domestic-number.ts';
import { defineRoute } from '../http/route.ts';

/** Parses the called number of a query: a domestic number, or a number with its country code as in prefixes. */
const calledNumber = ({ directory: { country } }: ApiServices, value: string): string => {
  const number =
    normalizeDestination(value, country) ?? readPhoneNumber(value.replaceAll(/[- ]/g, ''), country);
  if (number !== undefined) return number;
  throw invalidField({
    path: 'to',
    message: 'This is no telephone number of any country, such as +1 202 555 0123.',
  });
};

const named = {
  trunk_id: z.string().meta({ example: '5a0a7a1e-6c5e-4a5e-9c39-0a3f5c3d7f10' }),
  name: z.string().meta({ example: 'carrier' }),
};

export const findRoute = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunk-route',
  operationId: 'findRoute',
  tag: 'Trunks',
  summary: 'List the trunks for a number',
  description:
    'The trunks that a call to this number would try now, in order, and those that are excluded, without calling. Trunks of the same priority are ordered at random for each call.',
  auth: 'viewer',
  query: z.object({
    to: z
      .string()
      .max(40)
      .meta({ description: 'Domestic, or with + and country code.', example: '+821012345678' }),
    from: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'The calling number of the workspace; absent: one that is bound to no trunk.' }),
  }),
  responses: {
    200: {
      description: 'The trunks.',
      schema: z.object({
        number: z.string().meta({
          description: 'The number in the form that is compared with prefixes.',
          example: '+821012345678',
        }),
        trunks: z.array(
          z.object({
            ...named,
            prefix: z.string().meta({
              description: 'The matching prefix; empty: the trunk serves all numbers.',
              example: '+8210',
            }),
            addresses: z.array(z.string()).meta({ example: ['sip1.example.com:5060'] }),
          }),
        ),
        left_out: z.array(z.object({ ...named, because: z.enum(leftOutBecause) })),
        sentence: z
          .string()
          .nullable()
          .meta({ description: 'Why no trunk would carry the call.', example: null }),
      }),
    },
  },
  refusals: ['service_unavailable'],
}).handledBy(async ({ caller, query: { to, from } }, services) => {
  const called = calledNumber(services, to);
  const administrator = services.directory.administrator(caller);
  const trunkId =
    from === undefined
      ? null
      : await boundTrunkOf(administrator, domesticNumber(services.directory.country, 'from', from));
  const body = services.directory.routeTo({ workspaceId: caller.workspace.id, trunkId }, called);
  if (body === undefined)
    throw new Refusal('service_unavailable', 'The lines of this gateway are simulated: no trunk is used.');
  return { status: 200, body };
});
