import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { trunkDefaults } from '#src/domain/trunk.ts';
import { createTrunk as storeTrunk } from '#src/persistence/trunks.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { passwordField, presentTrunk, trunk, trunkFields } from './trunk-schema.ts';
import { nameTaken, requirePossible } from './trunk-settings.ts';

const { name, host, ...others } = trunkFields;

export const createTrunk = defineRoute({
  method: 'post',
  path: '/api/v1/admin/trunks',
  operationId: 'createTrunk',
  tag: 'Trunks',
  summary: 'Add a trunk',
  description:
    'Outbound calls of the workspace go to its enabled trunks: the lowest priority first, then by weight; to the next when one fails or is full, never because the callee is busy.',
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
  const id = randomUUID();
  const { password = null, ...settings } = body;
  const wanted = {
    ...trunkDefaults,
    ...settings,
    id,
    workspaceId: caller.workspace.id,
    passwordSealed: password === null ? null : services.sealing.seal(password, id),
    createdAt: new Date(services.clock.now()),
  };
  requirePossible(wanted, password !== null);
  const created = await storeTrunk(services.database, wanted);
  if (created === undefined) throw nameTaken();
  await audit(services, caller, { action: 'trunk.created', subject: `trunk:${id}` });
  return { status: 201, body: presentTrunk(services, created) };
});
