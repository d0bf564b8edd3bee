/**
 * Checks that the gateway can listen. Not in `http-server.ts`, because the module `node:http` loads Node's own HTTP client,
 * and calls of a killed gateway wait for the modules of the next one.
 */
import { createServer } from 'node:net';
import { StartError } from '#src/domain/start-error.ts';

/** Reason why the address cannot be used, with the setting to change. */
export const whyNotListening = (error: NodeJS.ErrnoException, host: string, port: number): string => {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; set GW_PORT to another one`;
  if (error.code === 'EACCES')
    return `port ${port} may not be used by this user; set GW_PORT to one from 1024 on`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${host}; set GW_HOST to one of its own`;
  return `cannot listen on ${host}:${port} (GW_HOST, GW_PORT): ${error.message}`;
};

/**
 * Throws the StartError of `listen` if the address cannot be used now, so that a start fails before it has created
 * anything.
 */
export const checkAddress = async ({ host, port }: { host: string; port: number }): Promise<void> => {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) =>
      reject(new StartError(whyNotListening(error, host, port), { cause: error })),
    );
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
};
