/**
 * Whether an endpoint that was made beforehand can answer this offer. It has settled already on what nearly all offers
 * have - keys as payload type 101, packets of 20 ms, no encryption - and would answer with it whatever is offered.
 */
export const isUsualOffer = (sdp: string): boolean =>
  /^m=audio \d+ RTP\/AVP([ \d]*)\r?$/m.exec(sdp)?.[1]?.split(' ').includes('101') === true &&
  /^a=rtpmap:101 telephone-event\/8000\r?$/im.test(sdp) &&
  [...sdp.matchAll(/^a=ptime:(\d+)/gm)].every(([, milliseconds]) => milliseconds === '20') &&
  [...sdp.matchAll(/^m=/gm)].length === 1;
