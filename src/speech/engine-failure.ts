import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

/**
 * A speech engine failed. The message names the engine and at most a status or an error code, so it can be logged and
 * shown: no address, no key, no text. It has no `cause`, for the errors of clients may quote what went over the wire.
 */
export class EngineFailure extends Error {
  override readonly name: string = 'EngineFailure';
}

/** The engine has no voice for a language, which says nothing of its health. */
export class UnspokenLanguage extends EngineFailure {
  override readonly name = 'UnspokenLanguage';

  constructor(engine: string, language: string) {
    super(`${engine} has no voice for ${language}`);
  }
}

/**
 * The engine does not speak with the voice that it was asked for, as far as one can tell: another of its voices may.
 * That a number chose what does not exist says nothing of the engine's health.
 */
export class VoiceRefused extends EngineFailure {
  override readonly name = 'VoiceRefused';

  /** `why` is an error of the engine's own. */
  constructor(engine: string, why: unknown) {
    super(`${engine} did not speak with a chosen voice${why instanceof Error ? `: ${why.message}` : ''}`);
  }
}

/** The engine answered, with a status that is no success. */
export class EngineRefusal extends EngineFailure {
  readonly status: number;

  constructor(engine: string, status: number) {
    super(`${engine} answered with HTTP ${status}`);
    this.status = status;
  }
}

/** The words of the client of everything outgoing, which are safe to show; a socket's error only by its code. */
const detailOf = (error: unknown): string => {
  if (error instanceof EndpointFailure) return ` (${error.message})`;
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
};

/** A redirect is a response like any other that is no success: nothing is followed. */
export const unreachable = (engine: string, error: unknown): EngineFailure =>
  error instanceof EndpointFailure && error.failure === 'redirect_refused' && error.status !== undefined
    ? new EngineRefusal(engine, error.status)
    : new EngineFailure(`${engine} could not be reached${detailOf(error)}`);

export const brokenOff = (engine: string, error: unknown): EngineFailure =>
  new EngineFailure(`the connection to ${engine} broke${detailOf(error)}`);
