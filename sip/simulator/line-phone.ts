/**
 * The telephone at the far end of a simulated line. The telephone is a class, because a closure per function would take
 * more memory on every line.
 */
import type { UnansweredLineCause } from '#machines/line.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { LineLife } from '#machines/line-life.ts';
import type { SaidSentence } from '#src/domain/web-phone.ts';
import type { CarriedAudio, Phone } from './party.ts';
import type { Voice } from './sounding-utterance.ts';
import type { Voices } from './voices.ts';

/**
 * State of the agent that the far end perceives, besides the agent's voice. `language` (BCP 47) is the current one of
 * recognition and synthesis.
 */
export type AgentSigns = { keys: string; isFarewell: boolean; language: string };

type FarEnd = {
  life: LineLife;
  voices: () => Voices;
  signs: AgentSigns;
  time: LineTime;
  language: string;
  isAdopted: boolean;
};

export class LinePhone implements Phone {
  readonly #line: FarEnd;
  /** Audio with which the far end answered; `null` in a call with words only. */
  audio: CarriedAudio | null = null;

  constructor(line: FarEnd) {
    this.#line = line;
  }

  get language(): string {
    return this.#line.language;
  }
  ring(): void {
    this.#line.life.send({ type: 'rang' });
  }
  answer(audio?: CarriedAudio): void {
    this.audio = audio ?? null;
    this.#line.life.send({ type: this.#line.isAdopted ? 'adopted' : 'answered' });
  }
  refuse(cause: UnansweredLineCause): void {
    this.#line.life.send({ type: 'unanswered', cause });
  }
  hangUp(): void {
    this.#line.life.send({ type: 'left' });
  }
  hold(isHeld: boolean): void {
    this.#line.life.send({ type: isHeld ? 'held' : 'resumed' });
  }
  press(digit: string): void {
    if (this.#isAnswered()) this.#line.life.report({ type: 'line.digit', digit });
  }

  say(text: string): void {
    if (this.#isAnswered()) this.#counterparty().say(text);
  }
  speak(isSpeaking: boolean): void {
    if (!this.#isAnswered()) return;
    if (isSpeaking) this.#counterparty().begin();
    else this.#counterparty().cancel();
  }
  isSpeaking(): boolean {
    return this.#counterparty().isSpeaking();
  }
  noise(isOn: boolean): void {
    if (this.#isAnswered()) this.#counterparty().noise(isOn);
  }
  beep(): void {
    if (this.#isAnswered()) this.#line.voices().beep();
  }

  wordsHeard(): readonly string[] {
    return this.#line.voices().wordsHeard();
  }
  wordsSoFar(): string {
    return this.#line.voices().wordsSoFar();
  }

  /** Receives DTMF digits of the agent. Returns whether the far end can hear the digits. */
  hearKeys(keys: string): boolean {
    if (!this.#isAnswered()) return false;
    this.#line.signs.keys += keys.replaceAll('w', '');
    return true;
  }
  keysHeard(): string {
    return this.#line.signs.keys;
  }
  /** Changes the language of recognition and synthesis. */
  changeLanguage(language: string): void {
    this.#line.signs.language = language;
    this.#counterparty().changeLanguage(language);
  }
  heardIn(): string {
    return this.#line.signs.language;
  }
  voice(): Voice | null {
    return this.#agent().voice();
  }
  isVoicePaused(): boolean {
    return this.#agent().isPaused();
  }
  sinceBeginOf({ startedAt }: Voice): number {
    return this.#line.time.since(startedAt);
  }
  voicesBegun(): number {
    return this.#agent().begun();
  }
  voicesCut(): number {
    return this.#agent().cut();
  }
  lastCut(): SaidSentence | null {
    return this.#agent().lastCut();
  }
  setReporting(isReporting: boolean): void {
    this.#agent().setReported(isReporting);
  }
  reportHeard(utterance: number, characters: number): void {
    this.#agent().report(utterance, characters);
  }
  isFarewell(): boolean {
    return this.#line.signs.isFarewell;
  }

  #isAnswered(): boolean {
    return this.#line.life.is('answered');
  }
  #agent(): Voices['agent'] {
    return this.#line.voices().agent;
  }
  #counterparty(): Voices['counterparty'] {
    return this.#line.voices().counterparty;
  }
}
