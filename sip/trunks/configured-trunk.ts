import {
  trunkDefaults,
  type NumberFormat,
  type Trunk,
  type TrunkCodec,
  type TrunkMedia,
} from '#src/domain/trunk.ts';

/** The trunk of `GW_TRUNK`: one address in the gateway's own configuration, without administration. */
export type ConfiguredTrunk = {
  /** Target of calls: `host` or `host:port`. */
  address: string;
  /** Host of the From header; if absent, drachtio-server's own address. */
  fromHost?: string;
  numbers?: NumberFormat;
  media?: TrunkMedia;
  codecs?: TrunkCodec[] | null;
  headersIn?: string[];
  headersOut?: string[];
  refer?: boolean;
  acceptRefer?: boolean;
};

/** Returns the configured trunk, which serves every workspace after the workspace's own trunks. */
export const configuredTrunk = ({
  address,
  fromHost,
  numbers,
  media,
  codecs = null,
  headersIn = [],
  headersOut = [],
  refer = trunkDefaults.refer,
  acceptRefer = trunkDefaults.acceptRefer,
}: ConfiguredTrunk): Trunk => {
  const [host = '', port] = address.split(':');
  return {
    ...trunkDefaults,
    id: 'configured',
    workspaceId: null,
    name: 'GW_TRUNK',
    host,
    port: port === undefined ? null : Number(port),
    password: null,
    // drachtio-server replaces `localhost` by its own address.
    fromDomain: fromHost ?? 'localhost',
    numberFormat: numbers ?? trunkDefaults.numberFormat,
    media: media ?? trunkDefaults.media,
    codecs,
    headersIn,
    headersOut,
    refer,
    acceptRefer,
    priority: 65_535,
    weight: 0,
    healthCheck: false,
  };
};
