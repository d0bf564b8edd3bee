#!/bin/sh
# start.sh FOLDER: starts FreeSWITCH with the configuration in this folder, which reads the environment itself.
# config/README.md explains the settings. FreeSWITCH writes its files into FOLDER.
set -eu

# The gateway may use several servers; the first one is started here.
media=${GW_FREESWITCH:-127.0.0.1:8021}
media=${media%%,*}
media=${media%%,*}
case $media in *:*) ;; *) media=$media:8021 ;; esac
export GW_FREESWITCH_ADDRESS="${media%:*}"
export GW_FREESWITCH_PORT="${media##*:}"

# FreeSWITCH would use an empty variable as a value.
for name in SECRET SIP_PORT CLIENTS PARK_SEC RTP_FROM RTP_TO; do
  eval "[ -n \"\${GW_FREESWITCH_$name:-}\" ]" || unset "GW_FREESWITCH_$name"
done
[ -n "${GW_SIP_ADDRESS:-}" ] || unset GW_SIP_ADDRESS
[ -n "${GW_PUBLIC_ADDRESS:-}" ] || unset GW_PUBLIC_ADDRESS

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?is required: the folder that FreeSWITCH may write to}

set -- -nf -nonat -nc -conf "$here"
for name in log db run certs temp recordings storage cache sounds scripts; do
  mkdir -p "$folder/$name"
  set -- "$@" "-$name" "$folder/$name"
done

exec freeswitch "$@"
