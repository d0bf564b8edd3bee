/** Azure OpenAI, whose URLs contain a deployment and a version, and whose key has its own header. */
import { firstAdvice } from '#src/outgoing/advice/failed-request.ts';
import { addHeader, type Adviser, type Trouble } from './trouble.ts';

const deployments = '/openai/deployments/';

const isAzure = ({ hostName, path, text }: Trouble): boolean =>
  /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/i.test(hostName) ||
  path.includes(deployments) ||
  /invalid subscription key or wrong API endpoint|audience is incorrect \(https:\/\/cognitiveservices\.azure\.com\)/i.test(
    text,
  );

const refusedKey: Adviser = ({ status, sentHeaders }) => {
  if (status !== 401) return undefined;
  return sentHeaders.includes('api-key')
    ? 'Azure does not take the api-key that was sent (HTTP 401). Compare it with the keys of the resource, and the host of the chat URL with its endpoint.'
    : `Azure wants the key of the resource in the header api-key (HTTP 401): ${addHeader('api-key')}.`;
};

const unknownDeployment: Adviser = ({ status, text }) =>
  status === 404 && text.includes('DeploymentNotFound')
    ? 'The resource has no deployment of this name. The chat URL names the deployment, which may have another name than its model; a new one takes some minutes.'
    : undefined;

/**
 * Without them it answers that the resource does not exist, and /openai/v1 requires a "model", which calls do not send.
 */
const incompleteAddress: Adviser = ({ status, path, binding }) => {
  if (status !== 404 && status !== 400) return undefined;
  const isComplete =
    path.includes(deployments) && URL.parse(binding.chatUrl ?? '')?.searchParams.has('api-version') === true;
  return isComplete
    ? undefined
    : 'The chat URL of Azure OpenAI names the deployment and the version of the API: https://<resource>.openai.azure.com/openai/deployments/<deployment>?api-version=2024-10-21.';
};

const advise = firstAdvice(refusedKey, unknownDeployment, incompleteAddress);

export const azureAdvice: Adviser = (trouble) => (isAzure(trouble) ? advise(trouble) : undefined);
