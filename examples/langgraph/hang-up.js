const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '' } = process.env;

/**
 * Asks the gateway to end the call when everything that is still to be said has been heard. Resolves with whether it
 * takes that on. A refusal says why: `code` and `detail` of a problem document (guides/errors.md).
 */
export const hangUp = async (callId, mayRetry = true) => {
  try {
    const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${NUMBER_KEY}` },
    });
    if (response.ok) return true;
    // The only refusal that may pass by itself.
    if (response.status === 502 && mayRetry) return hangUp(callId, false);
    console.error(`The call goes on: ${await response.text()}`);
  } catch (error) {
    console.error(
      `The call goes on. Is GATEWAY_URL (${GATEWAY_URL}) the gateway? ${error.message}`,
      error.cause,
    );
  }
  return false;
};
