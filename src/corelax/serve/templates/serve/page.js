{% include "resolution/page.js" %}

{% include "serve/relax.js" %}

{% include "serve/explorer.js" %}

{% include "serve/ask.js" %}
