/** Internals of drachtio-srf 5 that `guard.ts` uses, and that are missing in the types of drachtio-srf. */
declare module 'drachtio-srf/lib/drachtio-agent.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  namespace DrachtioAgent {
    interface WireProtocol extends EventEmitter {
      /** Returns the id of the message, which identifies its response. */
      send(socket: Socket, message: string): string;
    }

    /** Pending work on one connection. */
    interface Server {
      /** Callbacks by message id. `tokens` begin with `OK`, `NO` or `NOK`. */
      pendingRequests: Map<string, (tokens: string[]) => void>;
      /** INVITEs without a final answer, by Call-ID. */
      pendingNetworkInvites: Map<string, { req: unknown }>;
    }
  }

  class DrachtioAgent {
    wp: DrachtioAgent.WireProtocol;
    mapServer: Map<Socket, DrachtioAgent.Server>;
    /** Unsubscribes from a method. Throws if there is no subscription. */
    removeRoute(verb: string): void;
  }

  export = DrachtioAgent;
}
