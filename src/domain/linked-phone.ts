/** A web phone at several gateways: its page is connected to one of them, which links the phone with the others. */
import type { FromPhone } from './web-phone.ts';

export type LinkedPhone = {
  workspaceId: string;
  /** Chosen by the page. */
  name: string;
  /** Time of the page's connection, by the database clock. */
  since: number;
};

/** Another gateway, as a phone reaches it. */
export type PhoneLink = { send(message: FromPhone): void; sendFrame(frame: Uint8Array): void };

/** The fields of a message to the phone (`ToPhone`) that a link reads; others are passed on. */
export type ToldPhone = { type: string; call_id?: string | undefined; code?: string | undefined };

export type PhoneLinkEvents = {
  opened(gateway: string, link: PhoneLink): void;
  told(gateway: string, message: ToldPhone): void;
  played(gateway: string, frame: Uint8Array): void;
  /** The connection is lost; another one may follow. */
  lost(gateway: string): void;
  /** A page that was opened later uses the phone's name. */
  replaced(): void;
};

/** Links a phone with all other gateways. The returned function ends the links. */
export type LinkPhone = (phone: LinkedPhone, on: PhoneLinkEvents) => () => void;
