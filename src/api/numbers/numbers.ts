import { removeNumber, changeNumber, numberOf, addNumber } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../http/route.ts';
import { numberInPath, number, settingsFields } from './number-schema.ts';
import * as z from 'zod';
import { presentNumber, presentNumbers } from './present-number.ts';
import { chooseSpeech } from '#src/administration/choose-speech.ts';
import { requireTurnEnd } from '#src/administration/choose-turn-end.ts';
import { requireOwnTrunk } from '#src/administration/administer-trunks.ts';
import { domesticNumber } from '../domestic-number.ts';

export const listNumbers = defineRoute({
  method: 'get',
  path: '/api/v1/admin/numbers',
  operationId: 'listNumbers',
  tag: 'Numbers',
  summary: 'List the numbers',
  description: 'All numbers of the workspace, oldest first.',
  auth: 'viewer',
  responses: { 200: { description: 'The numbers.', schema: z.object({ numbers: z.array(number) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => {
  const found = await services.directory.numbers(caller.workspace.id);
  return { status: 200, body: { numbers: await presentNumbers(services.directory, found) } };
});

export const createNumber = defineRoute({
  method: 'post',
  path: '/api/v1/admin/numbers',
  operationId: 'createNumber',
  tag: 'Numbers',
  summary: 'Add a number',
  description: 'Both directions start with the built-in agent. Issue a key to place calls from the number.',
  auth: 'admin',
  body: z
    .strictObject({
      number: z.string().meta({ description: 'Domestic format; hyphens and spaces are removed.' }),
      ...z.object(settingsFields).partial().shape,
    })
    .meta({ example: { number: '070-1234-5678', language: 'en', max_duration_sec: 600 } }),
  responses: { 201: { description: 'The number.', schema: number } },
  refusals: ['number_taken'],
}).handledBy(async ({ caller, body }, services) => {
  const administrator = services.directory.administrator(caller);
  await requireOwnTrunk(administrator, body.trunkId);
  requireTurnEnd(services.directory.engines, body.turnEnd, body.recognizer);
  const digits = domesticNumber(services.directory.country, 'number', body.number);
  const created = await addNumber(administrator, {
    language: 'ko',
    ...body,
    ...chooseSpeech(services.directory.engines, body, { synthesizer: null, voice: null }),
    number: digits,
  });
  return { status: 201, body: await presentNumber(services.directory, created) };
});

export const getNumber = defineRoute({
  method: 'get',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'getNumber',
  tag: 'Numbers',
  summary: 'Read a number',
  description: 'Its settings, its agents and whether it has a key; no secrets.',
  auth: 'viewer',
  params: numberInPath,
  responses: { 200: { description: 'The number.', schema: number } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const found = await numberOf(services.directory.administrator(caller), params.id);
  return { status: 200, body: await presentNumber(services.directory, found) };
});

export const updateNumber = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'updateNumber',
  tag: 'Numbers',
  summary: 'Change a number',
  description:
    'Changes the given fields. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep their settings.',
  auth: 'admin',
  params: numberInPath,
  body: z
    .strictObject(settingsFields)
    .partial()
    .meta({
      example: {
        greeting: 'Good morning, this is the front desk.',
        silence_timeout_sec: 20,
        recording_enabled: null,
      },
    }),
  responses: { 200: { description: 'The number.', schema: number } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const changed = await changeNumber(
    services.directory.administrator(caller),
    params.id,
    body,
    services.directory.engines,
  );
  return { status: 200, body: await presentNumber(services.directory, changed) };
});

export const deleteNumber = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'deleteNumber',
  tag: 'Numbers',
  summary: 'Delete a number',
  description:
    'Removes its key and its agents at once; its digits may be added again. Its calls, transcripts, recordings, call records and audit entries remain. A webhook endpoint bound to it receives outstanding events, and none after that. Refused while a call is in progress.',
  auth: 'admin',
  params: numberInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['number_not_found', 'number_in_use'],
}).handledBy(async ({ caller, params }, services) => {
  await removeNumber(services.directory.administrator(caller), params.id);
  return { status: 204 };
});
