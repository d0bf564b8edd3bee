import * as z from 'zod';
import { addTrunk } from '#src/administration/administer-trunks.ts';
import { defineRoute } from '../http/route.ts';
import { requireTrunkHosts } from './require-hosts.ts';
import { passwordField, presentTrunk, trunk, trunkFields } from './trunk-schema.ts';

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
