import {
  trunkDefaults,
  type NumberFormat,
  type Trunk,
  type TrunkCodec,
  type TrunkMedia,
} from '#src/domain/trunk.ts';

/** The trunk that needs no administration: one address in the gateway's own configuration. */
export type ConfiguredTrunk = {
  /** Where calls go: `host` or `host:port`. */
  address: string;
  /** What stands behind the caller's number in the From header; without it, drachtio-server's own address. */
  fromHost?: string;
  numbers?: NumberFormat;
  media?: TrunkMedia;
  codecs?: TrunkCodec[] | null;
  headersIn?: string[];
  headersOut?: string[];
  refer?: boolean;
  acceptRefer?: boolean;
};

/** It serves every workspace, behind the workspace's own trunks. */
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
    // drachtio-server puts its own address where `localhost` stands.
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
