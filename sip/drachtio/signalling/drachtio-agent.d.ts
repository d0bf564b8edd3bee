/** The inside of drachtio-srf 5 that is guarded here; its types leave it out. */
declare module 'drachtio-srf/lib/drachtio-agent.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  namespace DrachtioAgent {
    interface WireProtocol extends EventEmitter {
      /** Returns the id of the message, by which its response is known. */
      send(socket: Socket, message: string): string;
    }

    /** What is under way on one connection. */
    interface Server {
      /** By the id of the message. `tokens` begin with `OK`, `NO` or `NOK`. */
      pendingRequests: Map<string, (tokens: string[]) => void>;
      /** INVITEs without a final answer, by Call-ID. */
      pendingNetworkInvites: Map<string, { req: unknown }>;
    }
  }

  class DrachtioAgent {
    wp: DrachtioAgent.WireProtocol;
    mapServer: Map<Socket, DrachtioAgent.Server>;
    /** Of a method that was wanted; throws otherwise. */
    removeRoute(verb: string): void;
  }

  export = DrachtioAgent;
}
