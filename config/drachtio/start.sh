#!/bin/sh
# Starts drachtio-server with the configuration in this folder; the environment contains the installation's settings,
# which config/README.md explains. The secret is passed in the environment, because all users can see arguments.
set -eu

address=${GW_SIP_ADDRESS:-127.0.0.1}
control=${GW_DRACHTIO:-127.0.0.1:9022}
case $control in *:*) ;; *) control=$control:9022 ;; esac

export DRACHTIO_ADMIN_ADDRESS="${control%:*}"
export DRACHTIO_ADMIN_TCP_PORT="${control##*:}"
export DRACHTIO_SECRET="${GW_DRACHTIO_SECRET:-cymru}"

# Behind NAT, external peers get the public address, but FreeSWITCH on this machine gets the local one.
seen_as() {
  if [ -n "${GW_PUBLIC_ADDRESS:-}" ]; then echo "--external-ip $GW_PUBLIC_ADDRESS --local-net $address/32"; fi
}

# IPv6 has no NAT, and drachtio-server 0.9.10 with NAT detection crashes on the first response.
looks_for_nat=
case $address in *:*)
  address="[$address]"
  looks_for_nat=--disable-nat-detection
  ;;
esac

set -- -f "$(dirname "$0")/drachtio.conf.xml" $looks_for_nat \
  --contact "sip:$address:${GW_SIP_PORT:-5060};transport=udp,tcp" $(seen_as)

if [ -n "${GW_SIP_TLS_KEY_FILE:-}" ]; then
  set -- "$@" --contact "sips:$address:${GW_SIP_TLS_PORT:-5061};transport=tls" $(seen_as) \
    --key-file "$GW_SIP_TLS_KEY_FILE" \
    --cert-file "${GW_SIP_TLS_CERT_FILE:?is required with GW_SIP_TLS_KEY_FILE}" \
    --chain-file "${GW_SIP_TLS_CHAIN_FILE:-$GW_SIP_TLS_CERT_FILE}"
fi

exec drachtio "$@"
