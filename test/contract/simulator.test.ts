import test from 'ava';
import { pino } from 'pino';
import { answeringMachine } from '#config/policy.ts';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { Script } from '#sip/simulator/script.ts';
import { createSimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { createScripts } from '#test/sip/simulator/network.ts';
import { createTape, done } from '#test/sip/simulator/recording-network.ts';
import { languageContract } from './language.ts';
import type { FarEndKind, NotingDriver } from './line-driver.ts';
import { lineContract } from './line-contract.ts';
import { createOrderedClock } from './ordered-clock.ts';
import { pauseContract } from './pause.ts';
import { transferContract } from './transfer.ts';

const farEnds: Readonly<Record<FarEndKind, { number: string; script?: Script }>> = {
  silent: { number: '01000000006' },
  unattended: { number: '01000000002' },
  busy: { number: '01000000003' },
  declining: { number: '01000000004' },
  unreachable: { number: '01000000009' },
  talking: { number: '01055550001', script: [{ say: 'Hello, who is there?' }] },
  interrupting: { number: '01055550002', script: [{ interrupt: 'Please wait a moment.' }] },
  murmuring: { number: '01055550003', script: [{ backchannel: 'Uh-huh.' }] },
  dialling: { number: '01055550004', script: [{ digits: '12#' }] },
  echoing: { number: '01055550006', script: [{ await_digits: '12#' }, { digits: '12#' }] },
  machine: {
    number: '01055550007',
    script: [{ announce: 'Please leave a message after the tone.' }, { wait_sec: 0.5 }, { beep: true }],
  },
  leaving: { number: '01055550005', script: [{ wait_sec: 2 }, { hang_up: true }] },
};

const resample = await loadResampler();

const makeDriver = (): NotingDriver => {
  const clock = createOrderedClock();
  const tapes: ReturnType<typeof createTape>[] = [];
  const spoken: string[] = [];
  const voice: Synthesizer = {
    name: 'noted',
    async synthesize(_text, language) {
      spoken.push(language);
      return { sampleRate: recordingSampleRate, samples: new Int16Array() };
    },
  };
  const { defineCallee, findCallee } = createScripts();
  const lines = createSimulatorLines({
    clock,
    speed: 1,
    answering: answeringMachine,
    logger: pino({ level: 'silent' }),
    recording: {
      open() {
        const tape = createTape();
        tapes.push(tape);
        return tape;
      },
      speech: sameSpeech(voice),
      resample,
    },
    mediaFor: false,
    findCallee,
  });
  for (const { number, script } of Object.values(farEnds))
    if (script !== undefined) defineCallee(number, script);
  return {
    open: lines.open,
    numberOf: (farEnd) => farEnds[farEnd].number,
    async spokenIn() {
      for (const tape of tapes) await done(tape);
      return spoken;
    },
    async until(condition, atMostMs = 5_000) {
      const end = clock.now() + atMostMs;
      while (!condition()) {
        if (clock.now() > end) throw new Error('It did not happen in time');
        clock.advance(1);
      }
    },
    async pass(milliseconds) {
      clock.advance(milliseconds);
    },
    close: () => lines.close(),
  };
};

lineContract(test, 'simulator', makeDriver);
pauseContract(test, 'simulator', makeDriver);
transferContract(test, 'simulator', makeDriver);
languageContract(test, 'simulator', makeDriver);
