/**
 * The mark of kgnb: three things and what joins them.
 */

import { LabIcon } from '@jupyterlab/ui-components';

export const graphIcon = new LabIcon({
  name: 'kgnb-labextension:graph',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><g class="jp-icon3" fill="#616161">' +
    '<path d="M7.2 7.6 15.8 16l-1.4 1.4L5.8 9zM8 5h8v2H8zM17.5 8h2v7h-2z"/>' +
    '<circle cx="5.5" cy="6.5" r="3.5"/><circle cx="18.5" cy="6" r="3"/><circle cx="17.5" cy="18" r="4"/></g></svg>'
});
