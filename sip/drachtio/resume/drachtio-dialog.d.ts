/** The dialog that drachtio-srf 5 creates from the messages of an INVITE; its types lack it. */
declare module 'drachtio-srf/lib/dialog.js' {
  import type Srf from 'drachtio-srf';

  namespace Dialog {
    /** The parts of a message that are read. Header names are case-insensitive. */
    interface Message {
      get(name: string): string;
      getParsedHeader(name: string): { params: { tag: string } } | [{ uri: string }];
    }
    interface Request extends Message {
      method: 'INVITE';
      uri: string;
      body: string;
      /** Connection for the dialog's requests; without one, the current connection is used. */
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
