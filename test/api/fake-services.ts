/** Services of a gateway that only records requests, for the API. */
import { randomUUID } from 'node:crypto';
import type { CallServices, DirectoryServices } from '#src/api/api-services.ts';
import type { PlaceCallRequest, PlacedCall } from '#src/calls/setup/place-call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createCallInsertion } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { isVoice } from '#src/speech/is-voice.ts';
import { newCallRow, type StoredNumber } from '#test/helpers/stored-number.ts';

/** Records the name of the function and its arguments. */
type Note = (name: string, given: unknown) => void;

type CallOperation =
  | 'placeCall'
  | 'requestHangup'
  | 'requestCancel'
  | 'collectKeys'
  | 'pressKeys'
  | 'say'
  | 'transfer'
  | 'cancelTransfer'
  | 'pauseRecording'
  | 'resumeRecording';

/** Stores only the request of a placed call, if it has an idempotency key. */
export const fakeCalls = (
  database: Database,
  workspaceId: string,
  note: Note,
): Pick<CallServices, CallOperation> => {
  const insertCall = createCallInsertion(database);
  const storeKeyed = async (owner: StoredNumber, keyed: PlaceCallRequest['keyed']): Promise<PlacedCall> => {
    const placed = { callId: randomUUID(), from: owner.number };
    if (keyed === null) return placed;
    const keyedAnswer = { ...keyed, ...keyed.answer(placed) };
    if (await insertCall(newCallRow(owner, { id: placed.callId, keyedAnswer }))) return placed;
    throw new Refusal('idempotency_in_progress', 'Another request was quicker.');
  };
  return {
    async placeCall({ id, number: from }, { keyed, ...request }) {
      note('placeCall', { numberId: id, ...request });
      return storeKeyed({ numberId: id, workspaceId, number: from }, keyed);
    },
    async requestHangup(request) {
      note('requestHangup', request);
    },
    async requestCancel(request) {
      note('requestCancel', request);
    },
    async collectKeys(request) {
      note('collectKeys', request);
    },
    async pressKeys(request) {
      note('pressKeys', request);
    },
    async say(request) {
      note('say', request);
    },
    async transfer(request) {
      note('transfer', request);
      return request.callId;
    },
    async cancelTransfer(request) {
      note('cancelTransfer', request);
    },
    async pauseRecording(request) {
      note('pauseRecording', request);
    },
    async resumeRecording(request) {
      note('resumeRecording', request);
    },
  };
};

export const fakeTrials = (
  note: Note,
): Pick<DirectoryServices, 'tryAgent' | 'tryTrunk' | 'trunkStatus' | 'routeTo'> => ({
  tryAgent: async (request) => {
    note('tryAgent', request);
    const { agentType, direction, language } = request;
    return {
      callId: randomUUID(),
      agentType,
      direction,
      language,
      ok: true,
      notes: [],
      turns: [],
    };
  },
  tryTrunk: async (trunkId, numbers) => {
    note('tryTrunk', { trunkId, ...numbers });
    return [{ step: 'options', result: 'ok', sentence: 'The trunk answers.', ladder: [] }];
  },
  trunkStatus: ({ enabled }) => ({
    state: enabled ? 'unused' : 'disabled',
    detail: null,
    lastSeenAt: null,
    restsUntil: null,
    channels: 0,
    addresses: [],
  }),
  routeTo: (owner, to) => {
    note('routeTo', { ...owner, to });
    return {
      number: '+821000000001',
      trunks: [{ trunkId: 'one', name: 'carrier', prefix: '+8210', addresses: ['sip.example.com:5060'] }],
      leftOut: [{ trunkId: 'two', name: 'second', because: 'drained' }],
      sentence: null,
    };
  },
});

export const fakeSpeech = (note: Note): Pick<DirectoryServices, 'engines' | 'voiceSamples'> => ({
  engines: {
    recognizers: ['vosk', 'deepgram'],
    synthesizers: ['elevenlabs', 'espeak-ng'],
    reportTurnEnds: ['deepgram'],
    turnModel: false,
    languageModels: ['small', 'large'],
    isVoice,
  },
  voiceSamples: {
    voicesOf: async (name) =>
      name === 'espeak-ng' ? [{ name: 'en-us', language: 'en-us', title: 'English (America)' }] : null,
    async speak(request) {
      note('speakSample', request);
      return Buffer.from('RIFF');
    },
  },
});
