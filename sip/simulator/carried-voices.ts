/**
 * Voices on a simulated line whose far end has a microphone and a speaker. Their audio is carried, recognized and
 * recorded as on a real line. Text that the person types is understood as well, without audio.
 */
import type { Logger } from 'pino';
import type { LineInput, LineReport, LineEventOf } from '#machines/line.ts';
import { createCallMedia, type CallMedia, type MediaMeans } from '#sip/audio/call-media.ts';
import type { Cancel, LineTime } from '#sip/audio/line-time.ts';
import { createHoldTone } from '#sip/audio/playout/hold-tone.ts';
import { sayingTime } from '#sip/audio/speaking-time.ts';
import type { SaidSentence } from '#src/domain/web-phone.ts';
import type { CarriedAudio } from './party.ts';
import type { SimulatedPlayout } from './simulated-playout.ts';
import { createSpeech, type Speech } from './simulated-speech.ts';
import type { Voice } from './sounding-utterance.ts';
import { waitsMs, type Voices, type VoicesOptions } from './voices.ts';

type CarriedVoicesOptions = Pick<VoicesOptions, 'answering' | 'time' | 'report' | 'onChange'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn' | 'turnEnd'>;
  /** Called when the audio is lost, or never arrived. */
  onLost: () => void;
};

export type CarryVoices = (audio: CarriedAudio, options: CarriedVoicesOptions) => Voices;

/** The agent's voice as the far end perceives it. */
const createAgent = (media: () => CallMedia, time: LineTime, onChange: () => void) => {
  const texts = new Map<number, Pick<Voice, 'text' | 'language'>>();
  let voice: Voice | null = null;
  let begun = 0;
  let cut = 0;
  let lastCut: SaidSentence | null = null;
  let isPaused = false;

  const setPaused = (paused: boolean): void => {
    isPaused = paused;
    onChange();
  };

  const agent: SimulatedPlayout = {
    say(utterance, text, language) {
      texts.set(utterance, { text, language });
      media().say(utterance, text, language);
    },
    stopTalking() {
      media().stopTalking();
      setPaused(false);
    },
    pause() {
      media().pauseTalking();
      setPaused(true);
    },
    resume() {
      media().resumeTalking();
      setPaused(false);
    },
    isPaused: () => isPaused,
    voice: () => voice,
    begun: () => begun,
    cut: () => cut,
    lastCut: () => lastCut,
    // Reports of the far end are ignored, because the carried audio itself shows the heard part.
    setReported: () => undefined,
    report: () => undefined,
  };

  return {
    agent,
    begins(utterance: number): void {
      const said = texts.get(utterance);
      // An utterance without a text does not begin.
      if (said === undefined) return;
      const { text } = said;
      voice = { utterance, ...said, startedAt: time.now(), durationMs: sayingTime(text) };
      begun += 1;
      onChange();
    },
    over({ utterance, text, whole }: Pick<LineEventOf<'line.played'>, 'utterance' | 'text' | 'whole'>): void {
      texts.delete(utterance);
      if (voice?.utterance !== utterance) return;
      voice = null;
      if (!whole) {
        cut += 1;
        lastCut = { utterance, text };
      }
      onChange();
    },
  };
};

/** Text that the person at the far end types. */
const createTyping = (
  { input: { language, bargeIn }, time, report, onChange }: CarriedVoicesOptions,
  isAgentAudible: () => boolean,
): Speech =>
  createSpeech({
    time,
    language,
    bargeIn,
    on: {
      begun: () => report({ type: 'line.speech' }),
      heard: (heard) => report({ type: 'line.heard', ...heard }),
      onset: () => report({ type: 'line.onset' }),
      noSpeech: () => report({ type: 'line.no_speech' }),
      sounded: () => undefined,
      voiced: () => undefined,
      recognized: () => undefined,
      change: onChange,
      isAgentAudible,
    },
  });

/** Creates the voices of a line that carries audio. */
export const createCarriedVoices =
  (means: () => MediaMeans, logger: Logger): CarryVoices =>
  (audio, options) => {
    const { input, answering, time, onChange, onLost } = options;
    const words: string[] = [];
    let cancelWaiting: Cancel | null = null;

    const report = (told: LineReport): void => {
      options.report(told);
      if (told.type === 'line.played') spoken.over(told);
      if (told.type === 'line.heard' && answering === 'human')
        cancelWaiting ??= time.after(waitsMs, () =>
          options.report({ type: 'line.answered_by', by: 'human' }),
        );
    };
    const heard = (told: LineReport): void => {
      report(told);
      if (told.type !== 'line.heard') return;
      words.push(told.text);
      onChange();
    };

    const spoken = createAgent(() => media, time, onChange);
    const typing = createTyping({ ...options, report }, () => spoken.agent.voice() !== null);
    const media = createCallMedia({
      ...means(),
      // Answering-machine detection is skipped for inbound calls; the far end is a person in either direction, so the
      // direction is set to inbound.
      input: { ...input, direction: 'inbound' },
      time,
      report: heard,
      onBegun: spoken.begins,
      onLost,
      logger,
    });

    const tone = createHoldTone(time, media.pass);

    const fallSilent = (): void => {
      tone.end();
      typing.stop();
      cancelWaiting?.();
    };

    return {
      agent: spoken.agent,
      counterparty: {
        ...typing,
        hearing: () => `${media.hearing()} ${typing.hearing()}`.trim(),
        changeLanguage(language) {
          typing.changeLanguage(language);
          media.changeLanguage(language);
        },
      },
      begin() {
        media.begin(audio).catch((error: unknown) => {
          logger.error({ err: error }, 'the audio of a call could not be connected');
          onLost();
        });
      },
      wordsHeard: () => words,
      wordsSoFar: media.hearing,
      beep: () => undefined,
      holdTone: { begin: () => tone.begin(audio.sampleRate()), end: tone.end },
      handOver() {
        spoken.agent.stopTalking();
        // The audio of a transfer's person is not carried on this line.
        media.talkWith({ pass: () => undefined });
      },
      pauseRecording: media.pauseRecording,
      resumeRecording: media.resumeRecording,
      hideTones: media.hideTones,
      showTones: media.showTones,
      leave() {
        media.leave();
        // The far end ends with this process.
        media.close();
        fallSilent();
      },
      close() {
        media.close();
        fallSilent();
      },
    };
  };
