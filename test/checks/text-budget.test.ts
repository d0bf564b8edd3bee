/**
 * Checks that untrusted text costs about as much processor time as plain words of the same length. Each code path that
 * reads text gets hostile shapes up to its length limit; quadratic cost would be a thousand times as much. The best of
 * several attempts counts, so a busy machine reaches the same verdict.
 */
import test from 'ava';
import { nameAddressesIn } from '#sip/headers/name-addresses.ts';
import { userOf } from '#sip/parties/number-format.ts';
import { unansweredCause } from '#sip/causes.ts';
import { isUsualOffer } from '#sip/freeswitch/endpoint-pool.ts';
import { dtmfOf } from '#sip/drachtio/dtmf/dtmf.ts';
import { descriptionIn } from '#sip/drachtio/dialog/message-body.ts';
import { isSaidByMachine } from '#sip/audio/listening/answering-phrases.ts';
import { finishOf } from '#sip/audio/listening/turn-end/finished.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import { offerProblem, offerWith, voiceIn, withOneVoice } from '#sip/sdp/media-offer.ts';
import { keyIn, withOneKey } from '#sip/sdp/sdes.ts';
import { heardAfter, sayingTime } from '#sip/audio/speaking-time.ts';
import { AgentFailure } from '#src/agents/agent.ts';
import { hear } from '#src/agents/built-in/dialogue.ts';
import { wordsFor } from '#src/agents/built-in/languages.ts';
import { createSaidMessages } from '#src/agents/langgraph/said-messages.ts';
import { partOf } from '#src/agents/mastra/parts.ts';
import { createModelMarks } from '#src/agents/model-marks.ts';
import { findReply, plainReply } from '#src/agents/n8n/read-reply.ts';
import { createSpeakable, createUtterances } from '#src/agents/utterances.ts';
import { readFrames } from '#src/agents/wire/read-frames.ts';
import { byteRangeOf } from '#src/api/http/byte-range.ts';
import { isBackchannel } from '#src/domain/backchannels.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { normalizePhoneNumber } from '#src/domain/phone-number.ts';
import { readPhoneNumber } from '#src/domain/read-number.ts';
import { retryAfterMs } from '#src/events/attempt-delivery.ts';
import { masked } from '#src/inspector/inspect-call.ts';
import { timesAsCostly } from '#test/helpers/processor-time.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

type Read = (text: string) => unknown;

/** A rejection counts as a result: only its cost matters. */
const readOrRefuse = async (read: Read, text: string): Promise<void> => {
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
  }
};

const inPieces = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );

const plain = 'The table for four is booked at 7. 예약을 확인해 드리겠습니다. ';

/** Units that are repeated up to the limit, with an end that makes a partial match fail. */
const shapes: readonly (readonly [unit: string, end?: string])[] = [
  ['아', '악'],
  ['네', '에에'],
  ['음', '?'],
  ['うん', 'x'],
  [' ', 'x'],
  ['\t', '\n'],
  ['\n', 'x'],
  ['\n#', '!'],
  ['\u0001', '\t'],
  ['.', 'x'],
  ['…', '!'],
  ['. ', 'x'],
  ['. 1', '.'],
  ["'", 'x'],
  ['[', 'x'],
  [']', 'x'],
  ['![', '('],
  ['](', ' "'],
  ['[^', ' '],
  ['[a](', 'b'],
  ['(', ')'],
  ['<', '>'],
  ['<a ', '='],
  ['<a =', '<'],
  ['<x', ','],
  ['a <x,', ','],
  ['"', '\\'],
  ['"\\', 'x'],
  ['a="', '\\"'],
  ['*', 'a'],
  ['*a', '*'],
  ['_', 'a'],
  ['`', '~'],
  ['```', '<!--'],
  ['<!---->', 'x'],
  ['<think>', '</think'],
  ['<|', '|>'],
  ['<|im_start|>', '\n'],
  ['<|channel|>', 'final'],
  ['<tool_call>', '{'],
  ['<tool_call ', 'x'],
  ['[TOOL_CALLS]', '{"'],
  ['[a(', 'b='],
  ['[f(a=1)]', '('],
  ['{"name":"', '"}'],
  ['{"a":{', '}'],
  ['\u001b]', '\u0007'],
  ['~~5', '~~'],
  ['|', 'x'],
  ['| ', 'x'],
  [' ->', 'x'],
  ['😀', 'x'],
  ['😀 ', 'x'],
  ['【', '†'],
  ['【†', '】'],
  ['&amp;', 'lt;'],
  ['&', ';'],
  ['a', '://'],
  ['a.', '://'],
  ['http://', 'x'],
  ['www.', '!'],
  ['!', 'x'],
  ['data:a/b', ';'],
  ['\\', 'n'],
  ['\ud83d', 'x'],
  ['\u200d', 'x'],
  ['\u{e200}', 'x'],
  ['가\u0301', 'x'],
  ['\ufdfa', 'x'],
  ['0', 'x'],
  ['0-', 'x'],
  ['1시', 'x'],
  ['물어', ' 것'],
  ['-', '>'],
  ['+', '@'],
  [';', '@'],
  ['%', '%41'],
  ['sip:', '@'],
  ['Q.850;', 'cause'],
  [',', 'Q.850'],
  ['data: ', '\n\n'],
  ['data: 1\n', '\n'],
  ['data: {"a":[\n', '\n'],
  ['event: x\n\n', '\n'],
  ['event: x\n', '\n'],
  ['\r', '\n'],
  ['{"a":', '1'],
  ['[{', '}'],
  ['0:"a"\n', 'x'],
  ['bytes=', '0-'],
  ['0-0,', 'x'],
  ['Signal', '='],
  ['\nSignal\n', '=1'],
  ['Digest a=', '"'],
  [' 101 2', ' x'],
  ['m=audio 1 RTP/AVP 0\r\n', 'x'],
  ['a=rtpmap:0 PCMU/8000\r\n', 'x'],
  ['--b\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n', 'x'],
  [';boundary="', '='],
];

const offer = (lines: string): string =>
  `v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio 4000 RTP/AVP 0${lines}\r\na=rtpmap:0 PCMU/8000\r\n`;

const readDescription = (sdp: string): void => {
  offerProblem(sdp, { codecs: ['PCMA', 'PCMU'], srtp: 'off' });
  offerWith(sdp, { codecs: ['PCMU'] });
  withOneVoice(sdp, { codecs: ['PCMU'] });
  withOneVoice(sdp, { codecs: null });
  voiceIn(sdp);
  isUsualOffer(sdp);
  keyIn(sdp);
  withOneKey(sdp);
};

const paths: Readonly<Record<string, { characters: number; read: Read }>> = {
  backchannels: {
    characters: 64_000,
    read: (text) => ['ko', 'en', 'ja'].map((language) => isBackchannel(text, language)),
  },
  'ends of turns': {
    characters: 64_000,
    read: (text) => ['ko', 'en', 'ja'].map((language) => finishOf(text, language)),
  },
  'answering machines': {
    characters: 64_000,
    read: (text) => ['ko', 'en', 'ja'].map((language) => isSaidByMachine(text, language)),
  },
  'understanding of the built-in agent': {
    characters: 64_000,
    read: (text) => ['ko', 'en', 'ja'].map((language) => hear(text, wordsFor(language))),
  },
  'a complete reply': {
    characters: 64_000,
    read(text) {
      const utterances = createUtterances();
      return [utterances.add(text), utterances.pause(), utterances.end()];
    },
  },
  'a chunked reply': {
    characters: 16_000,
    read(text) {
      const utterances = createUtterances();
      return [...inPieces(text, 7).map((piece) => utterances.add(piece)), utterances.end()];
    },
  },
  'a reply with controls': {
    characters: 16_000,
    read(text) {
      const replies = [
        text,
        `<keys press="${text}`,
        `<keys press="> ${text} <keys press='>`,
        text.replaceAll('"', '<'),
      ];
      return replies.map((reply) => {
        const utterances = createUtterances({ controls: true });
        return [...inPieces(reply, 7).map((piece) => utterances.add(piece)), utterances.end()];
      });
    },
  },
  'plain words': { characters: 16_000, read: (text) => createSpeakable().say(text) },
  'speaking time': {
    characters: 16_000,
    read: (text) => [sayingTime(text), heardAfter(text, 5_000)],
  },
  thoughts: {
    characters: 64_000,
    read(text) {
      const marks = createModelMarks();
      return [
        ...[text, ...inPieces(text, 9), ...inPieces(text, 1)].map((piece) => marks.add(piece)),
        marks.end(),
      ];
    },
  },
  'a streamed body': {
    characters: 64_000,
    async read(text) {
      const bytes = inPieces(text, 100).map((piece) => Buffer.from(piece));
      for await (const frame of readFrames(bodyOf(bytes), { longestLine: 64_000 })) partOf(frame);
    },
  },
  'a streamed body after an unfinished event': {
    characters: 32_000,
    async read(text) {
      const bytes = inPieces(`data: [${'1,'.repeat(16_000)}\n${text}`, 100).map((piece) =>
        Buffer.from(piece),
      );
      for await (const frame of readFrames(bodyOf(bytes), { longestLine: 64_000 })) partOf(frame);
    },
  },
  'a response of n8n': {
    characters: 64_000,
    read: (text) => [findReply(Array.from(text)), findReply({ output: { text } }), plainReply(text)],
  },
  'masking for the inspector': {
    characters: 64_000,
    read: (text) => masked({ text, from: text, list: inPieces(text, 10) }),
  },
  'the task in the kickoff': { characters: 64_000, read: kickoffFor },
  'telephone numbers': {
    characters: 64_000,
    read: (text) => [normalizePhoneNumber(text, 'KR'), readPhoneNumber(text, 'KR')],
  },
  'caller identity': {
    characters: 64_000,
    read: (text) => [userOf(text), userOf(`<sip:${text}`), nameAddressesIn(text)],
  },
  'reason of a refused call': {
    characters: 64_000,
    read: (text) => unansweredCause({ status: 480, reason: text, rang: true }),
  },
  credentials: { characters: 64_000, read: (text) => [challengesIn(text), challengesIn(`Digest ${text}`)] },
  'multipart bodies': {
    characters: 64_000,
    read: (text) =>
      [text, 'multipart/mixed;boundary=b'].map((type) =>
        descriptionIn({ has: () => true, get: () => type, body: `--b\r\n${text}\r\n--b--` }),
      ),
  },
  'DTMF digits by INFO': { characters: 64_000, read: (text) => dtmfOf('application/dtmf-relay', text) },
  'session descriptions': {
    characters: 64_000,
    read: (text) => [
      readDescription(text),
      readDescription(offer(` ${text}`)),
      readDescription(offer(`\r\n${text}`)),
    ],
  },
  'a byte range': {
    characters: 16_000,
    read: (text) => [byteRangeOf(text, 100), byteRangeOf(`bytes=${text}`, 100)],
  },
  'Retry-After': { characters: 16_000, read: (text) => retryAfterMs(text, 0) },
};

/**
 * Highest cost of a hostile text, as a multiple of the cost of plain words. A text of 64,000 lines costs up to 25 times as
 * much on a busy machine, since each is read by itself.
 */
const factor = 100;

const filled = (unit: string, end: string, length: number): string =>
  unit.repeat(Math.ceil((length - end.length) / unit.length)).slice(0, length - end.length) + end;

for (const [name, { characters, read }] of Object.entries(paths)) {
  test.serial(
    `${name}: processes ${characters} characters of hostile text about as fast as plain words`,
    async (t) => {
      const words = filled(plain, '', characters);
      await readOrRefuse(read, words);
      for (const [unit, end = ''] of shapes) {
        const text = filled(unit, end, characters);
        const times = await timesAsCostly(
          () => readOrRefuse(read, text),
          () => readOrRefuse(read, words),
          factor,
        );
        t.true(times <= factor, `${JSON.stringify(unit)}… costs ${Math.round(times)} times as much`);
      }
    },
  );
}

test.serial('LangGraph state: takes time proportional to the number of messages', async (t) => {
  const messages = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `m${index}`,
      from: 'agent' as const,
      text: `Message ${index}.`,
      callsTools: false,
      isCutOff: false,
    }));
  const take = (count: number) => () => [...createSaidMessages().complete(messages(count))];
  // For ten times the text, proportional cost is ten times as much and quadratic cost a hundred times.
  const times = await timesAsCostly(take(20_000), take(2_000), 40);
  t.true(times <= 40, `ten times as many cost ${Math.round(times)} times as much`);
});
