/** The part of drachtio-fsmrf 5.0.1 that `connection.ts` uses; the package has no types. */
declare module 'drachtio-fsmrf' {
  namespace Mrf {
    interface Event {
      /** Returns any JSON value; `null` if the header is missing. */
      getHeader(name: string): unknown;
    }

    /** A `command/reply`, whose headers are lines of text. */
    interface Reply {
      getHeader(name: 'Reply-Text'): string | null;
    }

    /** `Connection` of drachtio-modesl, an `EventEmitter2` whose event names are separated by `::`. */
    interface Connection {
      on(event: string, listener: (event: Event) => void): this;
      on(event: 'error', listener: (error: Error) => void): this;
      /** Sends a command with its headers, and calls back with the reply. */
      sendRecv(
        command: string,
        headers: Readonly<Record<string, string>>,
        callback: (reply: Reply) => void,
      ): void;
      /** Subscribes to events in JSON format. */
      subscribe(events: readonly string[], callback: (reply: Reply) => void): void;
    }

    interface MediaServer {
      readonly conn: Connection;
      readonly address: string;
      /** SIP address of the profile as `host:port`. */
      readonly sip: { readonly ipv4: { readonly udp: { readonly address: string } } };
      /** The three load values come from the latest HEARTBEAT, and are updated before other listeners are called. */
      readonly currentSessions: number;
      readonly maxSessions: number;
      /** Percentage of idle CPU; `undefined` before the first HEARTBEAT. */
      readonly cpuIdle: number | undefined;
      /** Listener for FreeSWITCH's outbound connections. */
      readonly _server: { close(): void };
      /** Calls back with the complete response; never calls back if the connection is lost. */
      api(command: string, callback: (response: string) => void): void;
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
    connect(
      options: Mrf.ConnectOptions,
      callback: (error: Error | null, mediaServer?: Mrf.MediaServer) => void,
    ): void;
  }

  export = Mrf;
}
