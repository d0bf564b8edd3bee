import * as z from 'zod';
import { chooseSpeech } from '#src/administration/choose-speech.ts';
import { requireTurnEnd } from '#src/administration/choose-turn-end.ts';
import { addNumber } from '#src/administration/administer-numbers.ts';
import { requireOwnTrunk } from '#src/administration/administer-trunks.ts';
import { domesticNumber } from '../domestic-number.ts';
import { defineRoute } from '../http/route.ts';
import { number, settingsFields } from './number-schema.ts';
import { presentNumber } from './present-number.ts';

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
