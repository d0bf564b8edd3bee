import { removeTrunk, changeTrunk, trunkOf, addTrunk } from '#src/administration/administer-trunks.ts';
import { defineRoute } from '../http/route.ts';
import { trunkInPath, passwordField, presentTrunk, trunk, trunkFields } from './trunk-schema.ts';
import * as z from 'zod';
import { invalidField, type FieldError } from '#src/domain/refusal.ts';
import type { ApiServices } from '../api-services.ts';

/** Refuses forbidden trunk hosts (guides/design/threats.md, "Addresses of trunks"). */
const requireTrunkHosts = async (
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

export const listTrunks = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunks',
  operationId: 'listTrunks',
  tag: 'Trunks',
  summary: 'List the trunks',
  description: 'All trunks of the workspace, oldest first, with their states; no passwords.',
  auth: 'viewer',
  responses: { 200: { description: 'The trunks.', schema: z.object({ trunks: z.array(trunk) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => {
  const records = await services.directory.trunks(caller.workspace.id);
  return { status: 200, body: { trunks: records.map((record) => presentTrunk(services, record)) } };
});

const { name, host, ...others } = trunkFields;

export const createTrunk = defineRoute({
  method: 'post',
  path: '/api/v1/admin/trunks',
  operationId: 'createTrunk',
  tag: 'Trunks',
  summary: 'Add a trunk',
  description:
    'Outbound calls of the workspace use its enabled trunks: the lowest priority first, then by weight. The next trunk is used when one fails or is full, never because the callee is busy.',
  auth: 'admin',
  body: z
    .strictObject({ ...others, password: passwordField })
    .partial()
    .extend({ name, host })
    .meta({
      example: {
        name: 'carrier',
        host: 'sip.example.com',
        transport: 'tls',
        username: '07012345678',
        password: 'password-of-the-trunk',
        register: true,
      },
    }),
  responses: { 201: { description: 'The trunk.', schema: trunk } },
  refusals: [],
}).handledBy(async ({ caller, body }, services) => {
  await requireTrunkHosts(services, body);
  const created = await addTrunk(services.directory.administrator(caller), body);
  return { status: 201, body: presentTrunk(services, created) };
});

export const getTrunk = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'getTrunk',
  tag: 'Trunks',
  summary: 'Read a trunk',
  description: 'Its settings and its state; no password.',
  auth: 'viewer',
  params: trunkInPath,
  responses: { 200: { description: 'The trunk.', schema: trunk } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const record = await trunkOf(services.directory.administrator(caller), params.id);
  return { status: 200, body: presentTrunk(services, record) };
});

export const updateTrunk = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'updateTrunk',
  tag: 'Trunks',
  summary: 'Change a trunk',
  description: 'Changes the given fields for new calls; calls in progress are unchanged.',
  auth: 'admin',
  params: trunkInPath,
  body: z
    .strictObject({ ...trunkFields, password: passwordField })
    .partial()
    .meta({ example: { priority: 20, enabled: false } }),
  responses: { 200: { description: 'The trunk.', schema: trunk } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  await requireTrunkHosts(services, body);
  const changed = await changeTrunk(services.directory.administrator(caller), params.id, body);
  return { status: 200, body: presentTrunk(services, changed) };
});

export const deleteTrunk = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'deleteTrunk',
  tag: 'Trunks',
  summary: 'Remove a trunk',
  description: 'Numbers bound to it use the other trunks of the workspace. Calls in progress continue.',
  auth: 'admin',
  params: trunkInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  await removeTrunk(services.directory.administrator(caller), params.id);
  return { status: 204 };
});
