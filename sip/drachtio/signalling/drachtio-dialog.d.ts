/** The dialog that drachtio-srf 5 makes of the messages of an INVITE; its types leave it out. */
declare module 'drachtio-srf/lib/dialog.js' {
  import type Srf from 'drachtio-srf';

  namespace Dialog {
    /** What is read of a message. Names are those of headers, in any case. */
    interface Message {
      get(name: string): string;
      getParsedHeader(name: string): { params: { tag: string } } | [{ uri: string }];
    }
    interface Request extends Message {
      method: 'INVITE';
      uri: string;
      body: string;
      /** The connection that the dialog's requests go by; without one, the one that stands. */
      socket: undefined;
    }
    interface Response extends Message {
      body: string;
      agent: unknown;
      stackDialogId: string;
    }
  }

  const Dialog: new (
    srf: Srf,
    type: 'uac' | 'uas',
    messages: { req: Dialog.Request; res: Dialog.Response; sent: Dialog.Message & { body: string } },
  ) => Srf.Dialog;

  export = Dialog;
}
