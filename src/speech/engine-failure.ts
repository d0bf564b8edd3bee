import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

/**
 * A speech engine failed. The message contains the engine's name and a status or error code, but no address, key or
 * text, so it may be logged and shown. It has no `cause`, because errors of clients may quote transmitted data.
 */
export class EngineFailure extends Error {
  override readonly name: string = 'EngineFailure';
}

/** The engine has no voice for a language; it is healthy. */
export class UnspokenLanguage extends EngineFailure {
  override readonly name = 'UnspokenLanguage';

  constructor(engine: string, language: string) {
    super(`${engine} has no voice for ${language}`);
  }
}

/** The engine probably refused the voice that was asked for; another voice may work. The engine is healthy. */
export class VoiceRefused extends EngineFailure {
  override readonly name = 'VoiceRefused';

  /** `why` is an error that the engine reported. */
  constructor(engine: string, why: unknown) {
    super(`${engine} did not speak with a chosen voice${why instanceof Error ? `: ${why.message}` : ''}`);
  }
}

/** The engine answered with an error status. */
export class EngineRefusal extends EngineFailure {
  readonly status: number;

  constructor(engine: string, status: number) {
    super(`${engine} answered with HTTP ${status}`);
    this.status = status;
  }
}

/** Messages of the outgoing client, which are safe to show; socket errors only by code. */
const detailOf = (error: unknown): string => {
  if (error instanceof EndpointFailure) return ` (${error.message})`;
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
};

/** A redirect counts as an error status and is not followed. */
export const unreachable = (engine: string, error: unknown): EngineFailure =>
  error instanceof EndpointFailure && error.failure === 'redirect_refused' && error.status !== undefined
    ? new EngineRefusal(engine, error.status)
    : new EngineFailure(`${engine} could not be reached${detailOf(error)}`);

export const brokenOff = (engine: string, error: unknown): EngineFailure =>
  new EngineFailure(`the connection to ${engine} broke${detailOf(error)}`);
