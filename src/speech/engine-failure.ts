import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

/**
 * Failure of a speech engine. The message contains the engine's name and a status or error code, but no address, key or
 * text, so it may be logged and shown. The failure has no `cause`, because errors of clients may quote transmitted
 * data.
 */
export class EngineFailure extends Error {
  override readonly name: string = 'EngineFailure';
}

/** Thrown when the engine has no voice for a language. The engine itself is healthy. */
export class UnspokenLanguage extends EngineFailure {
  override readonly name = 'UnspokenLanguage';

  constructor(engine: string, language: string) {
    super(`${engine} has no voice for ${language}`);
  }
}

/**
 * Thrown when the engine probably refused the requested voice, so that another voice may work. The engine itself is
 * healthy.
 */
export class VoiceRefused extends EngineFailure {
  override readonly name = 'VoiceRefused';

  /** Creates the failure. `why` is an error that the engine reported. */
  constructor(engine: string, why: unknown) {
    super(`${engine} did not speak with a chosen voice${why instanceof Error ? `: ${why.message}` : ''}`);
  }
}

/** Thrown when the engine answered with an error status. */
export class EngineRefusal extends EngineFailure {
  readonly status: number;

  constructor(engine: string, status: number) {
    super(`${engine} answered with HTTP ${status}`);
    this.status = status;
  }
}

/** Returns the message of the outgoing client, which is safe to show, or the code of a socket error. */
const detailOf = (error: unknown): string => {
  if (error instanceof EndpointFailure) return ` (${error.message})`;
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
};

/** Creates the failure. A redirect counts as an error status and is not followed. */
export const unreachable = (engine: string, error: unknown): EngineFailure =>
  error instanceof EndpointFailure && error.failure === 'redirect_refused' && error.status !== undefined
    ? new EngineRefusal(engine, error.status)
    : new EngineFailure(`${engine} could not be reached${detailOf(error)}`);

export const brokenOff = (engine: string, error: unknown): EngineFailure =>
  new EngineFailure(`the connection to ${engine} broke${detailOf(error)}`);
