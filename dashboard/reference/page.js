import { foldAliases } from "./aliases.js";
import { closeMenu, markCurrent } from "./menu.js";
import { languages, requestOf } from "./samples.js";

// The renderer has dark styles, but does not switch to them by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

const document_ = await (await fetch("/reference/openapi.json")).json();
const baseAddress = document_.servers[0].url;

/** The key for trying out. It is kept only in this variable and in its field, until the page is left. */
let apiKey = "";

const nothing = () => () => null;

/** Shows the base address as text to copy, instead of the renderer's list of servers, and the field for the key. */
const addressAndKey =
  (_, { React }) =>
  () => {
    const h = React.createElement;
    return h(
      "section",
      { "aria-label": "Base address and key", className: "base-address" },
      h("p", null, "Base address: ", h("code", null, baseAddress)),
      h("label", { htmlFor: "try-key" }, "Key for trying out"),
      h("input", {
        id: "try-key",
        type: "password",
        autoComplete: "off",
        spellCheck: false,
        "aria-describedby": "try-key-fate",
        onChange: (event) => {
          apiKey = event.currentTarget.value.replace(/\s/g, "");
        },
      }),
      h("p", { id: "try-key-fate" }, "It is sent to the API only, and forgotten when you leave the page."),
    );
  };

/** Puts the introduction into a landmark for screen readers; the renderer does not. */
const asRegion =
  (Info, { React }) =>
  (props) =>
    React.createElement("section", { "aria-label": "About" }, React.createElement(Info, props));

/** Adds a heading before the endpoints; the renderer has none. */
const underHeading =
  (Operations, { React }) =>
  (props) => [
    React.createElement("h2", { key: "heading" }, "Endpoints"),
    React.createElement(Operations, { ...props, key: "operations" }),
  ];

/** Shows a name as text, not as a link: it is inside a button, and a link would be one more stop for the Tab key. */
const text =
  (_, { React }) =>
  (props) =>
    React.createElement("span", null, props.text);

/** Adds a label to a field; the renderer has none for a field with a list of values. */
const labelled =
  (Field, { React }) =>
  (props) =>
    React.createElement(
      "label",
      null,
      React.createElement("span", { className: "only-heard" }, props.description),
      React.createElement(Field, props),
    );

/** The language of the sample code, the same for all operations. */
let language = Object.keys(languages)[0];
const onLanguage = new Set();

function chooseLanguage(chosen) {
  language = chosen;
  for (const listener of onLanguage) listener(chosen);
}

/** Adds sample code for the request before an operation's responses. */
const afterSamples =
  (Responses, { React }) =>
  (props) => {
    const h = React.createElement;
    const [chosen, setChosen] = React.useState(language);
    React.useEffect(() => {
      onLanguage.add(setChosen);
      return () => onLanguage.delete(setChosen);
    }, []);
    const request = requestOf(baseAddress, props.path, props.method, document_.paths[props.path][props.method]);
    const name = `sample-${props.method}-${props.path}`;
    const choices = Object.keys(languages).map((each) =>
      h(
        "label",
        { key: each },
        h("input", { type: "radio", name, checked: each === chosen, onChange: () => chooseLanguage(each) }),
        each,
      ),
    );
    return [
      h(
        "section",
        { key: "samples", className: "samples", "aria-label": "Code" },
        h("fieldset", null, h("legend", null, "Code"), ...choices),
        h("pre", { tabIndex: 0 }, h("code", null, languages[chosen](request))),
      ),
      h(Responses, { ...props, key: "responses" }),
    ];
  };

/** Shows only the names of a response's headers until they are opened: they are nearly the same for all responses. */
const foldedHeaders =
  (Headers, { React }) =>
  (props) => {
    const h = React.createElement;
    const names = props.headers.keySeq().join(", ");
    return h("details", { className: "folded-headers" }, h("summary", null, `Headers: ${names}`), h(Headers, props));
  };

// Only GET requests can be tried: an import would change the catalogue of a real company.
const ui = SwaggerUIBundle({
  spec: foldAliases(document_),
  dom_id: "#reference",
  deepLinking: true,
  supportedSubmitMethods: ["get"],
  requestInterceptor: (request) => {
    request.headers["X-API-Key"] = apiKey;
    return request;
  },
  plugins: [
    {
      wrapComponents: {
        authorizeBtn: nothing,
        authorizeOperationBtn: nothing,
        InfoContainer: asRegion,
        ServersContainer: addressAndKey,
        operations: underHeading,
        responses: afterSamples,
        DeepLink: text,
        JsonSchemaForm: labelled,
        headers: foldedHeaders,
        // The sample code replaces it, in four languages and without the key.
        curl: nothing,
      },
      // Opening or closing an operation changes the address.
      statePlugins: {
        layout: {
          wrapActions: {
            show:
              (show) =>
              (...shown) => {
                show(...shown);
                markCurrent();
              },
          },
        },
      },
    },
  ],
  // By default the renderer sends the document to a public validator.
  validatorUrl: null,
});

/** Opens the operation that the address names, and scrolls to it: the links of the menu are such addresses. */
function follow() {
  closeMenu();
  markCurrent();
  const [, tag, id] = window.location.hash.slice(1).split("/");
  if (!id) return;
  ui.layoutActions.show(["operations", tag, id], true);
  document.getElementById(`operations-${tag}-${id}`)?.scrollIntoView();
}
window.addEventListener("hashchange", follow);
markCurrent();
