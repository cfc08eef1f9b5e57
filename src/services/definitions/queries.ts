import type { Language } from './languages.ts';

/**
 * What counts as a definition, as tree-sitter queries. A match captures the whole definition under the name of its kind, and the
 * name under `@name`; where a name is inside nested declarators, `@declarator` is where to begin to look for it.
 */
const javascript = `
  (function_declaration name: (_) @name) @function
  (generator_function_declaration name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (method_definition name: (_) @name) @method
  (program (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)])) @function)
  (program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name)) @constant))
  (program (expression_statement (assignment_expression left: (member_expression) @name right: [(arrow_function) (function_expression) (class)])) @function)
  (expression_statement (call_expression function: (identifier) @callee arguments: (arguments . (string) @name . [(arrow_function) (function_expression)])) @test
    (#any-of? @callee "describe" "context" "suite" "it" "test" "specify"))
`;

const field = (name: string): string =>
  `(class_body (${name} (property_identifier) @name value: [(arrow_function) (function_expression)]) @method)`;

const typescript = `
  ${javascript}
  ${field('public_field_definition')}
  (function_signature name: (_) @name) @function
  (abstract_class_declaration name: (_) @name) @class
  (abstract_method_signature name: (_) @name) @method
  (interface_declaration name: (_) @name) @interface
  (type_alias_declaration name: (_) @name) @type
  (enum_declaration name: (_) @name) @enum
  (internal_module name: (_) @name) @module
  (module name: (_) @name) @module
`;

const c = `
  (function_definition declarator: (_) @declarator) @function
  (translation_unit (declaration declarator: [(function_declarator) (pointer_declarator (function_declarator))] @declarator) @function)
  (preproc_ifdef (declaration declarator: [(function_declarator) (pointer_declarator (function_declarator))] @declarator) @function)
  (preproc_if (declaration declarator: [(function_declarator) (pointer_declarator (function_declarator))] @declarator) @function)
  (linkage_specification (declaration_list (declaration declarator: [(function_declarator) (pointer_declarator (function_declarator))] @declarator) @function))
  (struct_specifier name: (_) @name body: (_)) @struct
  (union_specifier name: (_) @name body: (_)) @union
  (enum_specifier name: (_) @name body: (_)) @enum
  (type_definition declarator: (_) @declarator) @type
  (preproc_function_def name: (_) @name) @macro
`;

export const definitionQueries: Readonly<Record<Language, string>> = {
  javascript: `${javascript}\n${field('field_definition')}`,
  typescript,
  tsx: typescript,
  python: `
    (class_definition name: (_) @name) @class
    (function_definition name: (_) @name) @function
    (module (expression_statement (assignment left: (identifier) @name)) @constant)
    (type_alias_statement left: (_) @name) @type
  `,
  java: `
    (class_declaration name: (_) @name) @class
    (interface_declaration name: (_) @name) @interface
    (enum_declaration name: (_) @name) @enum
    (record_declaration name: (_) @name) @class
    (annotation_type_declaration name: (_) @name) @interface
    (method_declaration name: (_) @name) @method
    (constructor_declaration name: (_) @name) @method
    (compact_constructor_declaration name: (_) @name) @method
  `,
  go: `
    (function_declaration name: (_) @name) @function
    (method_declaration name: (_) @name) @method
    (type_declaration (type_spec name: (_) @name) @type)
    (type_declaration (type_alias name: (_) @name) @type)
    (source_file (const_declaration (const_spec name: (_) @name) @constant))
    (source_file (var_declaration (var_spec name: (_) @name) @constant))
    (source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
  `,
  rust: `
    (function_item name: (_) @name) @function
    (function_signature_item name: (_) @name) @function
    (struct_item name: (_) @name) @struct
    (enum_item name: (_) @name) @enum
    (union_item name: (_) @name) @union
    (trait_item name: (_) @name) @interface
    (impl_item type: (_) @name) @class
    (mod_item name: (_) @name body: (_)) @module
    (macro_definition name: (_) @name) @macro
    (type_item name: (_) @name) @type
    (const_item name: (_) @name) @constant
    (static_item name: (_) @name) @constant
  `,
  c,
  cpp: `
    ${c}
    (class_specifier name: (_) @name body: (_)) @class
    (namespace_definition name: (_) @name) @module
    (declaration_list (declaration declarator: [(function_declarator) (pointer_declarator (function_declarator)) (reference_declarator (function_declarator))] @declarator) @function)
    (field_declaration_list (declaration declarator: (function_declarator) @declarator) @method)
    (field_declaration declarator: [(function_declarator) (pointer_declarator (function_declarator)) (reference_declarator (function_declarator))] @declarator) @method
    (alias_declaration name: (_) @name) @type
    (concept_definition name: (_) @name) @type
  `,
  csharp: `
    (namespace_declaration name: (_) @name) @module
    (file_scoped_namespace_declaration name: (_) @name) @module
    (class_declaration name: (_) @name) @class
    (record_declaration name: (_) @name) @class
    (struct_declaration name: (_) @name) @struct
    (interface_declaration name: (_) @name) @interface
    (enum_declaration name: (_) @name) @enum
    (delegate_declaration name: (_) @name) @type
    (method_declaration name: (_) @name) @method
    (constructor_declaration name: (_) @name) @method
    (destructor_declaration name: (_) @name) @method
    (local_function_statement name: (_) @name) @function
    (property_declaration name: (_) @name) @property
    (event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
    (indexer_declaration parameters: (_) @name) @property
    (operator_declaration operator: _ @name) @method
  `,
  ruby: `
    (module name: (_) @name) @module
    (class name: (_) @name) @class
    (singleton_class value: (_) @name) @class
    (method name: (_) @name) @method
    (singleton_method name: (_) @name) @method
    (assignment left: (constant) @name) @constant
  `,
  php: `
    (namespace_definition name: (_) @name) @module
    (class_declaration name: (_) @name) @class
    (interface_declaration name: (_) @name) @interface
    (trait_declaration name: (_) @name) @class
    (enum_declaration name: (_) @name) @enum
    (method_declaration name: (_) @name) @method
    (function_definition name: (_) @name) @function
    (const_declaration (const_element . (name) @name)) @constant
  `,
  kotlin: `
    (class_declaration (type_identifier) @name) @class
    (object_declaration (type_identifier) @name) @class
    (companion_object) @class
    (function_declaration (simple_identifier) @name) @function
    (secondary_constructor "constructor" @name) @method
    (type_alias . (type_identifier) @name) @type
    (source_file (property_declaration (variable_declaration (simple_identifier) @name)) @constant)
    (class_body (property_declaration (variable_declaration (simple_identifier) @name)) @property)
  `,
  swift: `
    (class_declaration name: (_) @name) @class
    (protocol_declaration name: (_) @name) @interface
    (function_declaration name: (simple_identifier) @name) @function
    (function_declaration "init" @name) @method
    (deinit_declaration "deinit" @name) @method
    (protocol_function_declaration name: (simple_identifier) @name) @method
    (typealias_declaration . name: (type_identifier) @name) @type
  `,
  bash: `(function_definition name: (_) @name) @function`,
  css: `
    (rule_set (selectors) @name) @rule
    (media_statement) @rule
    (supports_statement) @rule
    (keyframes_statement (keyframes_name) @name) @rule
    (at_rule (at_keyword) @name) @rule
  `,
  markdown: `
    (atx_heading heading_content: (_) @name) @heading
    (setext_heading heading_content: (_) @name) @heading
  `,
};

/** Nodes that only wrap a definition and begin before it: decorators, `export`, `template <…>`. The definition is the whole of them. */
export const wrappers: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  javascript: new Set(['export_statement']),
  typescript: new Set(['export_statement', 'ambient_declaration']),
  tsx: new Set(['export_statement', 'ambient_declaration']),
  python: new Set(['decorated_definition']),
  cpp: new Set(['template_declaration']),
};
