/**
 * The telephone at the far end of a simulated line. It is an object of a class: each function of its own would weigh
 * more, on every line.
 */
import type { UnansweredCause } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import type { LineLife } from '../run-line-life.ts';
import type { CarriedSound, Phone } from './party.ts';
import type { Voice } from './sounding-utterance.ts';
import type { Voices } from './voices.ts';

/**
 * Signs of the agent that the far end can see, beside its voice. `language` (BCP 47) is the one in which it hears and
 * speaks now.
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
  /** By which it was answered; `null` in a call in words alone. */
  sound: CarriedSound | null = null;

  constructor(line: FarEnd) {
    this.#line = line;
  }

  get language(): string {
    return this.#line.language;
  }
  ring(): void {
    this.#line.life.send({ type: 'rang' });
  }
  answer(sound?: CarriedSound): void {
    this.sound = sound ?? null;
    this.#line.life.send({ type: this.#line.isAdopted ? 'adopted' : 'answered' });
  }
  refuse(cause: UnansweredCause): void {
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

  /** The agent has pressed these. Returns whether anybody is there to hear them. */
  hearKeys(keys: string): boolean {
    if (!this.#isAnswered()) return false;
    this.#line.signs.keys += keys.replaceAll('w', '');
    return true;
  }
  keysHeard(): string {
    return this.#line.signs.keys;
  }
  /** The agent wants it. */
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
