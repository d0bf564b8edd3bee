/** The part of drachtio-fsmrf 5 that is used here; the package brings no types. */
declare module 'drachtio-fsmrf' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';
  import type Srf from 'drachtio-srf';

  namespace Mrf {
    /** The event socket connection; `EventEmitter2` with names such as `esl::end`. */
    interface EventSocket {
      /** `null` once it is closed. */
      socket: Socket | null;
      reconnectVars: { retryTimer?: NodeJS.Timeout | null };
      on(event: string, listener: () => void): this;
      removeAllListeners(event?: string): this;
      /** Sends a command, of several lines perhaps; calls back with what is said to it. */
      sendRecv(command: string, callback: (reply: { getHeader(name: string): string | null }) => void): void;
    }

    interface Endpoint extends EventEmitter {
      readonly uuid: string;
      /** With FreeSWITCH, which is given the other party's description in it, and makes an offer now and then. */
      readonly dialog: Srf.Dialog;
      readonly local: { readonly sdp: string };
      /** `null` once the channel is gone. */
      readonly conn: EventSocket | null;
      /** Runs a command of FreeSWITCH; its answer begins with `+OK` or `-ERR`. */
      api(command: string, args: readonly string[]): Promise<{ body: string }>;
      /** Resolves when FreeSWITCH has confirmed with BYE, which it may never do. */
      destroy(): Promise<void>;
    }

    /** The part of drachtio-srf that it uses here. */
    interface Signalling {
      createUAC(uri: string, options: Srf.CreateUACOptions): Promise<Srf.Dialog>;
    }

    interface EndpointOptions {
      remoteSdp?: string;
      codecs?: string[];
      /** Of the INVITE to FreeSWITCH. */
      headers?: Record<string, string>;
    }

    interface MediaServer extends EventEmitter {
      readonly conn: EventSocket;
      createEndpoint(options: EndpointOptions): Promise<Endpoint>;
      /** Runs a command of FreeSWITCH; resolves with its answer. */
      api(command: string): Promise<string>;
      disconnect(): void;
    }

    interface ConnectOptions {
      address: string;
      port: number;
      secret: string;
      listenAddress: string;
      listenPort: number;
      profile: string;
    }
  }

  class Mrf {
    constructor(srf: Mrf.Signalling);
    connect(
      options: Mrf.ConnectOptions,
      callback: (error: Error | null, server?: Mrf.MediaServer) => void,
    ): void;
  }

  export = Mrf;
}
